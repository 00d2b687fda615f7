"""The checksums that specs can name: the CRCs of the public catalogue, and others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CrcParameters:
    """The parameters of a CRC; ``poly`` and ``init`` have their highest bit first. One that is ``unaugmented`` does not
    append as many zero bits to the bytes as it has itself.
    """

    width: int
    poly: int
    init: int
    reflect_in: bool
    reflect_out: bool
    xor_out: int
    unaugmented: bool = False

    @property
    def words(self) -> str:
        """The parameters in words, for a CRC without a name."""
        digits = -(-self.width // 4)
        numbers = {"polynomial": self.poly, "initial": self.init, "XOR": self.xor_out}
        told = [f"{name} 0x{number:0{digits}x}" for name, number in numbers.items() if number or name == "polynomial"]
        flags = {"bytes": self.reflect_in, "register": self.reflect_out}
        told += [f"{name} reflected" for name, is_so in flags.items() if is_so]
        return f"CRC of {self.width} bits ({', '.join(told)})"


@dataclass(frozen=True, slots=True)
class Other:
    """A checksum that is not a CRC; ``name`` is the runtime's word for it."""

    name: str
    width: int


Computation = CrcParameters | Other


@dataclass(frozen=True, slots=True)
class Catalogued:
    """A checksum; ``title`` is its name for people."""

    title: str
    kind: Computation


_CRCS = {
    "crc3_gsm": CrcParameters(3, 0x3, 0, False, False, 0x7),
    "crc3_rohc": CrcParameters(3, 0x3, 0x7, True, True, 0),
    "crc4_g_704": CrcParameters(4, 0x3, 0, True, True, 0),
    "crc4_interlaken": CrcParameters(4, 0x3, 0xF, False, False, 0xF),
    "crc5_epc_c1g2": CrcParameters(5, 0x09, 0x09, False, False, 0),
    "crc5_g_704": CrcParameters(5, 0x15, 0, True, True, 0),
    "crc5_usb": CrcParameters(5, 0x05, 0x1F, True, True, 0x1F),
    "crc6_cdma2000_a": CrcParameters(6, 0x27, 0x3F, False, False, 0),
    "crc6_cdma2000_b": CrcParameters(6, 0x07, 0x3F, False, False, 0),
    "crc6_darc": CrcParameters(6, 0x19, 0, True, True, 0),
    "crc6_g_704": CrcParameters(6, 0x03, 0, True, True, 0),
    "crc6_gsm": CrcParameters(6, 0x2F, 0, False, False, 0x3F),
    "crc7_mmc": CrcParameters(7, 0x09, 0, False, False, 0),
    "crc7_rohc": CrcParameters(7, 0x4F, 0x7F, True, True, 0),
    "crc7_umts": CrcParameters(7, 0x45, 0, False, False, 0),
    "crc8_autosar": CrcParameters(8, 0x2F, 0xFF, False, False, 0xFF),
    "crc8_bluetooth": CrcParameters(8, 0xA7, 0, True, True, 0),
    "crc8_cdma2000": CrcParameters(8, 0x9B, 0xFF, False, False, 0),
    "crc8_darc": CrcParameters(8, 0x39, 0, True, True, 0),
    "crc8_dvb_s2": CrcParameters(8, 0xD5, 0, False, False, 0),
    "crc8_gsm_a": CrcParameters(8, 0x1D, 0, False, False, 0),
    "crc8_gsm_b": CrcParameters(8, 0x49, 0, False, False, 0xFF),
    "crc8_hitag": CrcParameters(8, 0x1D, 0xFF, False, False, 0),
    "crc8_i_432_1": CrcParameters(8, 0x07, 0, False, False, 0x55),
    "crc8_i_code": CrcParameters(8, 0x1D, 0xFD, False, False, 0),
    "crc8_lte": CrcParameters(8, 0x9B, 0, False, False, 0),
    "crc8_maxim_dow": CrcParameters(8, 0x31, 0, True, True, 0),
    "crc8_mifare_mad": CrcParameters(8, 0x1D, 0xC7, False, False, 0),
    "crc8_nrsc_5": CrcParameters(8, 0x31, 0xFF, False, False, 0),
    "crc8_opensafety": CrcParameters(8, 0x2F, 0, False, False, 0),
    "crc8_rohc": CrcParameters(8, 0x07, 0xFF, True, True, 0),
    "crc8_sae_j1850": CrcParameters(8, 0x1D, 0xFF, False, False, 0xFF),
    "crc8_smbus": CrcParameters(8, 0x07, 0, False, False, 0),
    "crc8_tech_3250": CrcParameters(8, 0x1D, 0xFF, True, True, 0),
    "crc8_wcdma": CrcParameters(8, 0x9B, 0, True, True, 0),
    "crc10_atm": CrcParameters(10, 0x233, 0, False, False, 0),
    "crc10_cdma2000": CrcParameters(10, 0x3D9, 0x3FF, False, False, 0),
    "crc10_gsm": CrcParameters(10, 0x175, 0, False, False, 0x3FF),
    "crc11_flexray": CrcParameters(11, 0x385, 0x01A, False, False, 0),
    "crc11_umts": CrcParameters(11, 0x307, 0, False, False, 0),
    "crc12_cdma2000": CrcParameters(12, 0xF13, 0xFFF, False, False, 0),
    "crc12_dect": CrcParameters(12, 0x80F, 0, False, False, 0),
    "crc12_gsm": CrcParameters(12, 0xD31, 0, False, False, 0xFFF),
    "crc12_umts": CrcParameters(12, 0x80F, 0, False, True, 0),
    "crc13_bbc": CrcParameters(13, 0x1CF5, 0, False, False, 0),
    "crc14_darc": CrcParameters(14, 0x0805, 0, True, True, 0),
    "crc14_gsm": CrcParameters(14, 0x202D, 0, False, False, 0x3FFF),
    "crc15_can": CrcParameters(15, 0x4599, 0, False, False, 0),
    "crc15_mpt1327": CrcParameters(15, 0x6815, 0, False, False, 0x0001),
    "crc16_arc": CrcParameters(16, 0x8005, 0, True, True, 0),
    "crc16_cdma2000": CrcParameters(16, 0xC867, 0xFFFF, False, False, 0),
    "crc16_cms": CrcParameters(16, 0x8005, 0xFFFF, False, False, 0),
    "crc16_dds_110": CrcParameters(16, 0x8005, 0x800D, False, False, 0),
    "crc16_dect_r": CrcParameters(16, 0x0589, 0, False, False, 0x0001),
    "crc16_dect_x": CrcParameters(16, 0x0589, 0, False, False, 0),
    "crc16_dnp": CrcParameters(16, 0x3D65, 0, True, True, 0xFFFF),
    "crc16_en_13757": CrcParameters(16, 0x3D65, 0, False, False, 0xFFFF),
    "crc16_gdl90": CrcParameters(16, 0x1021, 0, False, False, 0, unaugmented=True),
    "crc16_genibus": CrcParameters(16, 0x1021, 0xFFFF, False, False, 0xFFFF),
    "crc16_gsm": CrcParameters(16, 0x1021, 0, False, False, 0xFFFF),
    "crc16_ibm_3740": CrcParameters(16, 0x1021, 0xFFFF, False, False, 0),
    "crc16_ibm_sdlc": CrcParameters(16, 0x1021, 0xFFFF, True, True, 0xFFFF),
    "crc16_iso_iec_14443_3_a": CrcParameters(16, 0x1021, 0xC6C6, True, True, 0),
    "crc16_kermit": CrcParameters(16, 0x1021, 0, True, True, 0),
    "crc16_lj1200": CrcParameters(16, 0x6F63, 0, False, False, 0),
    "crc16_m17": CrcParameters(16, 0x5935, 0xFFFF, False, False, 0),
    "crc16_maxim_dow": CrcParameters(16, 0x8005, 0, True, True, 0xFFFF),
    "crc16_mcrf4xx": CrcParameters(16, 0x1021, 0xFFFF, True, True, 0),
    "crc16_modbus": CrcParameters(16, 0x8005, 0xFFFF, True, True, 0),
    "crc16_nrsc_5": CrcParameters(16, 0x080B, 0xFFFF, True, True, 0),
    "crc16_opensafety_a": CrcParameters(16, 0x5935, 0, False, False, 0),
    "crc16_opensafety_b": CrcParameters(16, 0x755B, 0, False, False, 0),
    "crc16_profibus": CrcParameters(16, 0x1DCF, 0xFFFF, False, False, 0xFFFF),
    "crc16_riello": CrcParameters(16, 0x1021, 0xB2AA, True, True, 0),
    "crc16_spi_fujitsu": CrcParameters(16, 0x1021, 0x1D0F, False, False, 0),
    "crc16_t10_dif": CrcParameters(16, 0x8BB7, 0, False, False, 0),
    "crc16_teledisk": CrcParameters(16, 0xA097, 0, False, False, 0),
    "crc16_tms37157": CrcParameters(16, 0x1021, 0x89EC, True, True, 0),
    "crc16_umts": CrcParameters(16, 0x8005, 0, False, False, 0),
    "crc16_usb": CrcParameters(16, 0x8005, 0xFFFF, True, True, 0xFFFF),
    "crc16_xmodem": CrcParameters(16, 0x1021, 0, False, False, 0),
    "crc17_can_fd": CrcParameters(17, 0x1685B, 0, False, False, 0),
    "crc21_can_fd": CrcParameters(21, 0x102899, 0, False, False, 0),
    "crc24_ble": CrcParameters(24, 0x00065B, 0x555555, True, True, 0),
    "crc24_flexray_a": CrcParameters(24, 0x5D6DCB, 0xFEDCBA, False, False, 0),
    "crc24_flexray_b": CrcParameters(24, 0x5D6DCB, 0xABCDEF, False, False, 0),
    "crc24_interlaken": CrcParameters(24, 0x328B63, 0xFFFFFF, False, False, 0xFFFFFF),
    "crc24_lte_a": CrcParameters(24, 0x864CFB, 0, False, False, 0),
    "crc24_lte_b": CrcParameters(24, 0x800063, 0, False, False, 0),
    "crc24_openpgp": CrcParameters(24, 0x864CFB, 0xB704CE, False, False, 0),
    "crc24_os_9": CrcParameters(24, 0x800063, 0xFFFFFF, False, False, 0xFFFFFF),
    "crc30_cdma": CrcParameters(30, 0x2030B9C7, 0x3FFFFFFF, False, False, 0x3FFFFFFF),
    "crc31_philips": CrcParameters(31, 0x04C11DB7, 0x7FFFFFFF, False, False, 0x7FFFFFFF),
    "crc32_aixm": CrcParameters(32, 0x814141AB, 0, False, False, 0),
    "crc32_autosar": CrcParameters(32, 0xF4ACFB13, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_base91_d": CrcParameters(32, 0xA833982B, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_bzip2": CrcParameters(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0xFFFFFFFF),
    "crc32_cd_rom_edc": CrcParameters(32, 0x8001801B, 0, True, True, 0),
    "crc32_cksum": CrcParameters(32, 0x04C11DB7, 0, False, False, 0xFFFFFFFF),
    "crc32c": CrcParameters(32, 0x1EDC6F41, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32": CrcParameters(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_jamcrc": CrcParameters(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0),
    "crc32_zero": CrcParameters(32, 0x04C11DB7, 0, True, True, 0),
    "crc32_mef": CrcParameters(32, 0x741B8CD7, 0xFFFFFFFF, True, True, 0),
    "crc32_mpeg_2": CrcParameters(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0),
    "crc32_xfer": CrcParameters(32, 0x000000AF, 0, False, False, 0),
    "crc40_gsm": CrcParameters(40, 0x0004820009, 0, False, False, 0xFFFFFFFFFF),
    "crc64_ecma_182": CrcParameters(64, 0x42F0E1EBA9EA3693, 0, False, False, 0),
    "crc64_go_iso": CrcParameters(64, 0x000000000000001B, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
    "crc64_ms": CrcParameters(64, 0x259C84CBA6426349, 0xFFFFFFFFFFFFFFFF, True, True, 0),
    "crc64_nvme": CrcParameters(64, 0xAD93D23594C93659, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
    "crc64_redis": CrcParameters(64, 0xAD93D23594C935A9, 0, True, True, 0),
    "crc64_we": CrcParameters(64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, False, False, 0xFFFFFFFFFFFFFFFF),
    "crc64_xz": CrcParameters(64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
}

_TITLES = {
    "crc16_gdl90": "CRC-16 of GDL 90, which is that of XMODEM without the zero bits at the end",
    "crc32": "CRC-32 as zlib computes it",
    "crc32c": "CRC-32C",
    "crc32_zero": "CRC-32 with initial register 0 and no final XOR",
}
_OTHERS = {
    "adler32": Catalogued("Adler-32", Other("adler32", 32)),
    "fletcher8": Catalogued("Fletcher-8", Other("fletcher8", 8)),
    "fletcher16": Catalogued("Fletcher-16", Other("fletcher16", 16)),
    "fletcher16_mod256": Catalogued("Fletcher-16 modulo 256", Other("fletcher16_mod256", 16)),
    "fletcher32": Catalogued("Fletcher-32 of little-endian numbers", Other("fletcher32", 32)),
    "internet": Catalogued("the Internet checksum", Other("internet", 16)),
    "sum8": Catalogued("the sum of all bytes, modulo 2^8", Other("sum8", 8)),
    "sum16": Catalogued("the sum of all bytes, modulo 2^16", Other("sum16", 16)),
    "sum32": Catalogued("the sum of all bytes, modulo 2^32", Other("sum32", 32)),
    "xor8": Catalogued("the XOR of all bytes", CrcParameters(8, 1, 0, False, False, 0)),
}


def _title(name: str) -> str:
    stem, _, rest = name.partition("_")
    return _TITLES.get(name, f"CRC-{stem[3:]}/{rest.upper().replace('_', '-')}")


ALGORITHMS = {name: Catalogued(_title(name), crc) for name, crc in _CRCS.items()} | _OTHERS
"""Checksums by name in specs."""

OTHER_NAMES = {
    "crc8": "crc8_smbus", "crc16": "crc16_arc", "crc16_ibm": "crc16_arc", "crc16_ccitt": "crc16_ibm_3740",
    "crc16_ccitt_false": "crc16_ibm_3740", "crc16_ccitt_true": "crc16_kermit", "crc_ccitt": "crc16_ibm_3740",
    "crc16_x25": "crc16_ibm_sdlc", "x25": "crc16_mcrf4xx", "crc16_x_25": "crc16_ibm_sdlc", "crc24": "crc24_openpgp",
    "crc32_iscsi": "crc32c", "crc32_castagnoli": "crc32c", "crc32_iso_hdlc": "crc32", "crc32_ieee": "crc32",
    "crc32_posix": "crc32_cksum", "crc32_mpeg2": "crc32_mpeg_2", "crc64": "crc64_xz", "crc64_ecma": "crc64_ecma_182",
    "crc64_iso": "crc64_go_iso", "inet": "internet", "ip": "internet", "ipv4": "internet", "fletcher": "fletcher16",
    "sum": "sum8", "xor": "xor8", "lrc": "xor8", "adler": "adler32",
}  # fmt: skip
"""Aliases."""
