"""The checksums that specs can name: CRCs with the names and parameters of the public catalogue of them, and others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Crc:
    """The parameters of a CRC; ``poly`` and ``init`` have their highest bit first."""

    width: int
    poly: int
    init: int
    reflect_in: bool
    reflect_out: bool
    xor_out: int

    @property
    def words(self) -> str:
        """It in words, if it has no name."""
        digits = -(-self.width // 4)
        numbers = {"polynomial": self.poly, "initial": self.init, "XOR": self.xor_out}
        told = [f"{name} 0x{number:0{digits}x}" for name, number in numbers.items() if number or name == "polynomial"]
        flags = {"bytes": self.reflect_in, "register": self.reflect_out}
        told += [f"{name} reflected" for name, is_so in flags.items() if is_so]
        return f"CRC of {self.width} bits ({', '.join(told)})"


@dataclass(frozen=True, slots=True)
class Other:
    """A checksum that is no CRC; ``name`` is the runtime's word for it."""

    name: str
    width: int


Kind = Crc | Other
"""What is computed."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A checksum; ``title`` is its name for people."""

    title: str
    kind: Kind


_CRCS = {
    "crc3_gsm": Crc(3, 0x3, 0, False, False, 0x7),
    "crc3_rohc": Crc(3, 0x3, 0x7, True, True, 0),
    "crc4_g_704": Crc(4, 0x3, 0, True, True, 0),
    "crc4_interlaken": Crc(4, 0x3, 0xF, False, False, 0xF),
    "crc5_epc_c1g2": Crc(5, 0x09, 0x09, False, False, 0),
    "crc5_g_704": Crc(5, 0x15, 0, True, True, 0),
    "crc5_usb": Crc(5, 0x05, 0x1F, True, True, 0x1F),
    "crc6_cdma2000_a": Crc(6, 0x27, 0x3F, False, False, 0),
    "crc6_cdma2000_b": Crc(6, 0x07, 0x3F, False, False, 0),
    "crc6_darc": Crc(6, 0x19, 0, True, True, 0),
    "crc6_g_704": Crc(6, 0x03, 0, True, True, 0),
    "crc6_gsm": Crc(6, 0x2F, 0, False, False, 0x3F),
    "crc7_mmc": Crc(7, 0x09, 0, False, False, 0),
    "crc7_rohc": Crc(7, 0x4F, 0x7F, True, True, 0),
    "crc7_umts": Crc(7, 0x45, 0, False, False, 0),
    "crc8_autosar": Crc(8, 0x2F, 0xFF, False, False, 0xFF),
    "crc8_bluetooth": Crc(8, 0xA7, 0, True, True, 0),
    "crc8_cdma2000": Crc(8, 0x9B, 0xFF, False, False, 0),
    "crc8_darc": Crc(8, 0x39, 0, True, True, 0),
    "crc8_dvb_s2": Crc(8, 0xD5, 0, False, False, 0),
    "crc8_gsm_a": Crc(8, 0x1D, 0, False, False, 0),
    "crc8_gsm_b": Crc(8, 0x49, 0, False, False, 0xFF),
    "crc8_hitag": Crc(8, 0x1D, 0xFF, False, False, 0),
    "crc8_i_432_1": Crc(8, 0x07, 0, False, False, 0x55),
    "crc8_i_code": Crc(8, 0x1D, 0xFD, False, False, 0),
    "crc8_lte": Crc(8, 0x9B, 0, False, False, 0),
    "crc8_maxim_dow": Crc(8, 0x31, 0, True, True, 0),
    "crc8_mifare_mad": Crc(8, 0x1D, 0xC7, False, False, 0),
    "crc8_nrsc_5": Crc(8, 0x31, 0xFF, False, False, 0),
    "crc8_opensafety": Crc(8, 0x2F, 0, False, False, 0),
    "crc8_rohc": Crc(8, 0x07, 0xFF, True, True, 0),
    "crc8_sae_j1850": Crc(8, 0x1D, 0xFF, False, False, 0xFF),
    "crc8_smbus": Crc(8, 0x07, 0, False, False, 0),
    "crc8_tech_3250": Crc(8, 0x1D, 0xFF, True, True, 0),
    "crc8_wcdma": Crc(8, 0x9B, 0, True, True, 0),
    "crc10_atm": Crc(10, 0x233, 0, False, False, 0),
    "crc10_cdma2000": Crc(10, 0x3D9, 0x3FF, False, False, 0),
    "crc10_gsm": Crc(10, 0x175, 0, False, False, 0x3FF),
    "crc11_flexray": Crc(11, 0x385, 0x01A, False, False, 0),
    "crc11_umts": Crc(11, 0x307, 0, False, False, 0),
    "crc12_cdma2000": Crc(12, 0xF13, 0xFFF, False, False, 0),
    "crc12_dect": Crc(12, 0x80F, 0, False, False, 0),
    "crc12_gsm": Crc(12, 0xD31, 0, False, False, 0xFFF),
    "crc12_umts": Crc(12, 0x80F, 0, False, True, 0),
    "crc13_bbc": Crc(13, 0x1CF5, 0, False, False, 0),
    "crc14_darc": Crc(14, 0x0805, 0, True, True, 0),
    "crc14_gsm": Crc(14, 0x202D, 0, False, False, 0x3FFF),
    "crc15_can": Crc(15, 0x4599, 0, False, False, 0),
    "crc15_mpt1327": Crc(15, 0x6815, 0, False, False, 0x0001),
    "crc16_arc": Crc(16, 0x8005, 0, True, True, 0),
    "crc16_cdma2000": Crc(16, 0xC867, 0xFFFF, False, False, 0),
    "crc16_cms": Crc(16, 0x8005, 0xFFFF, False, False, 0),
    "crc16_dds_110": Crc(16, 0x8005, 0x800D, False, False, 0),
    "crc16_dect_r": Crc(16, 0x0589, 0, False, False, 0x0001),
    "crc16_dect_x": Crc(16, 0x0589, 0, False, False, 0),
    "crc16_dnp": Crc(16, 0x3D65, 0, True, True, 0xFFFF),
    "crc16_en_13757": Crc(16, 0x3D65, 0, False, False, 0xFFFF),
    "crc16_genibus": Crc(16, 0x1021, 0xFFFF, False, False, 0xFFFF),
    "crc16_gsm": Crc(16, 0x1021, 0, False, False, 0xFFFF),
    "crc16_ibm_3740": Crc(16, 0x1021, 0xFFFF, False, False, 0),
    "crc16_ibm_sdlc": Crc(16, 0x1021, 0xFFFF, True, True, 0xFFFF),
    "crc16_iso_iec_14443_3_a": Crc(16, 0x1021, 0xC6C6, True, True, 0),
    "crc16_kermit": Crc(16, 0x1021, 0, True, True, 0),
    "crc16_lj1200": Crc(16, 0x6F63, 0, False, False, 0),
    "crc16_m17": Crc(16, 0x5935, 0xFFFF, False, False, 0),
    "crc16_maxim_dow": Crc(16, 0x8005, 0, True, True, 0xFFFF),
    "crc16_mcrf4xx": Crc(16, 0x1021, 0xFFFF, True, True, 0),
    "crc16_modbus": Crc(16, 0x8005, 0xFFFF, True, True, 0),
    "crc16_nrsc_5": Crc(16, 0x080B, 0xFFFF, True, True, 0),
    "crc16_opensafety_a": Crc(16, 0x5935, 0, False, False, 0),
    "crc16_opensafety_b": Crc(16, 0x755B, 0, False, False, 0),
    "crc16_profibus": Crc(16, 0x1DCF, 0xFFFF, False, False, 0xFFFF),
    "crc16_riello": Crc(16, 0x1021, 0xB2AA, True, True, 0),
    "crc16_spi_fujitsu": Crc(16, 0x1021, 0x1D0F, False, False, 0),
    "crc16_t10_dif": Crc(16, 0x8BB7, 0, False, False, 0),
    "crc16_teledisk": Crc(16, 0xA097, 0, False, False, 0),
    "crc16_tms37157": Crc(16, 0x1021, 0x89EC, True, True, 0),
    "crc16_umts": Crc(16, 0x8005, 0, False, False, 0),
    "crc16_usb": Crc(16, 0x8005, 0xFFFF, True, True, 0xFFFF),
    "crc16_xmodem": Crc(16, 0x1021, 0, False, False, 0),
    "crc17_can_fd": Crc(17, 0x1685B, 0, False, False, 0),
    "crc21_can_fd": Crc(21, 0x102899, 0, False, False, 0),
    "crc24_ble": Crc(24, 0x00065B, 0x555555, True, True, 0),
    "crc24_flexray_a": Crc(24, 0x5D6DCB, 0xFEDCBA, False, False, 0),
    "crc24_flexray_b": Crc(24, 0x5D6DCB, 0xABCDEF, False, False, 0),
    "crc24_interlaken": Crc(24, 0x328B63, 0xFFFFFF, False, False, 0xFFFFFF),
    "crc24_lte_a": Crc(24, 0x864CFB, 0, False, False, 0),
    "crc24_lte_b": Crc(24, 0x800063, 0, False, False, 0),
    "crc24_openpgp": Crc(24, 0x864CFB, 0xB704CE, False, False, 0),
    "crc24_os_9": Crc(24, 0x800063, 0xFFFFFF, False, False, 0xFFFFFF),
    "crc30_cdma": Crc(30, 0x2030B9C7, 0x3FFFFFFF, False, False, 0x3FFFFFFF),
    "crc31_philips": Crc(31, 0x04C11DB7, 0x7FFFFFFF, False, False, 0x7FFFFFFF),
    "crc32_aixm": Crc(32, 0x814141AB, 0, False, False, 0),
    "crc32_autosar": Crc(32, 0xF4ACFB13, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_base91_d": Crc(32, 0xA833982B, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_bzip2": Crc(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0xFFFFFFFF),
    "crc32_cd_rom_edc": Crc(32, 0x8001801B, 0, True, True, 0),
    "crc32_cksum": Crc(32, 0x04C11DB7, 0, False, False, 0xFFFFFFFF),
    "crc32c": Crc(32, 0x1EDC6F41, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32": Crc(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF),
    "crc32_jamcrc": Crc(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0),
    "crc32_zero": Crc(32, 0x04C11DB7, 0, True, True, 0),
    "crc32_mef": Crc(32, 0x741B8CD7, 0xFFFFFFFF, True, True, 0),
    "crc32_mpeg_2": Crc(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0),
    "crc32_xfer": Crc(32, 0x000000AF, 0, False, False, 0),
    "crc40_gsm": Crc(40, 0x0004820009, 0, False, False, 0xFFFFFFFFFF),
    "crc64_ecma_182": Crc(64, 0x42F0E1EBA9EA3693, 0, False, False, 0),
    "crc64_go_iso": Crc(64, 0x000000000000001B, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
    "crc64_ms": Crc(64, 0x259C84CBA6426349, 0xFFFFFFFFFFFFFFFF, True, True, 0),
    "crc64_nvme": Crc(64, 0xAD93D23594C93659, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
    "crc64_redis": Crc(64, 0xAD93D23594C935A9, 0, True, True, 0),
    "crc64_we": Crc(64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, False, False, 0xFFFFFFFFFFFFFFFF),
    "crc64_xz": Crc(64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, True, True, 0xFFFFFFFFFFFFFFFF),
}

_TITLES = {
    "crc32": "CRC-32 as zlib computes it",
    "crc32c": "CRC-32C",
    "crc32_zero": "CRC-32 with initial register 0 and no final XOR",
}
_OTHERS = {
    "adler32": Algorithm("Adler-32", Other("adler32", 32)),
    "fletcher16": Algorithm("Fletcher-16", Other("fletcher16", 16)),
    "fletcher16_mod256": Algorithm("Fletcher-16 modulo 256", Other("fletcher16_mod256", 16)),
    "fletcher32": Algorithm("Fletcher-32 of little-endian numbers", Other("fletcher32", 32)),
    "internet": Algorithm("the Internet checksum", Other("internet", 16)),
    "sum8": Algorithm("the sum of all bytes, modulo 2^8", Other("sum8", 8)),
    "sum16": Algorithm("the sum of all bytes, modulo 2^16", Other("sum16", 16)),
    "sum32": Algorithm("the sum of all bytes, modulo 2^32", Other("sum32", 32)),
    "xor8": Algorithm("the XOR of all bytes", Crc(8, 1, 0, False, False, 0)),
}


def _title(name: str) -> str:
    stem, _, rest = name.partition("_")
    return _TITLES.get(name, f"CRC-{stem[3:]}/{rest.upper().replace('_', '-')}")


ALGORITHMS = {name: Algorithm(_title(name), crc) for name, crc in _CRCS.items()} | _OTHERS
"""The checksums by their names in specs."""

ELSEWHERE = {
    "crc8": "crc8_smbus", "crc16": "crc16_arc", "crc16_ibm": "crc16_arc", "crc16_ccitt": "crc16_ibm_3740",
    "crc16_ccitt_false": "crc16_ibm_3740", "crc16_ccitt_true": "crc16_kermit", "crc_ccitt": "crc16_ibm_3740",
    "crc16_x25": "crc16_ibm_sdlc", "x25": "crc16_mcrf4xx", "crc16_x_25": "crc16_ibm_sdlc", "crc24": "crc24_openpgp",
    "crc32_iscsi": "crc32c", "crc32_castagnoli": "crc32c", "crc32_iso_hdlc": "crc32", "crc32_ieee": "crc32",
    "crc32_posix": "crc32_cksum", "crc32_mpeg2": "crc32_mpeg_2", "crc64": "crc64_xz", "crc64_ecma": "crc64_ecma_182",
    "crc64_iso": "crc64_go_iso", "inet": "internet", "ip": "internet", "ipv4": "internet", "fletcher": "fletcher16",
    "fletcher8": "fletcher16_mod256", "sum": "sum8", "xor": "xor8", "lrc": "xor8", "adler": "adler32",
}  # fmt: skip
"""Other names of theirs."""
