"""DNS messages as dnspython writes and reads them."""

from collections.abc import Iterator
from random import Random
from typing import Any
from unittest import mock

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rdataclass
import dns.rdatatype
import dns.renderer
import dns.rrset
import dns.update

from protocols.strangers import Capture

RECORDS = (
    ("www.example.org.", 300, "CNAME", "web.example.org."),
    ("web.example.org.", 300, "A", "192.0.2.1"),
    ("web.example.org.", 300, "AAAA", "2001:db8::1"),
    ("example.org.", 3600, "MX", "10 mail.example.org."),
    ("example.org.", 3600, "TXT", '"v=spf1 -all" "second"'),
    ("1.2.0.192.in-addr.arpa.", 60, "PTR", "web.example.org."),
    ("_sip._tcp.example.org.", 60, "SRV", "0 5 5060 sip.example.org."),
)


def captures() -> Iterator[Capture]:
    """Each message as a datagram."""
    for name, message in messages():
        data = message.to_wire()
        yield Capture(name, data, ({"datagram": read(data)},), told=with_names)


def messages() -> Iterator[tuple[str, dns.message.Message]]:
    """A question, an answer of many records whose names point to each other, and a refusal."""
    question = dns.message.make_query("www.example.org", "A", id=0x1234, use_edns=0)
    answer = dns.message.make_response(question, recursion_available=True)
    answer.answer += [_rrset(record) for record in RECORDS]
    soa = "ns.example.org. hostmaster.example.org. 2031 7200 3600 1209600 300"
    answer.authority.append(dns.rrset.from_text("example.org.", 60, "IN", "SOA", soa))
    refused = dns.message.make_response(dns.message.make_query(".", "NS", id=1, use_edns=False))
    refused.set_rcode(3)
    yield from (("question", question), ("answer", answer), ("refused", refused))


def _rrset(record: tuple[str, int, str, str]) -> dns.rrset.RRset:
    name, ttl, kind, *text = record
    return dns.rrset.from_text(name, ttl, "IN", kind, *text)


def read(data: bytes) -> dict[str, Any]:
    """What dnspython reads in a message."""
    message = dns.message.from_wire(data, one_rr_per_rrset=True)
    flags = {
        name: bool(message.flags & getattr(dns.flags, name.upper()))
        for name in ("qr", "aa", "tc", "rd", "ra", "ad", "cd")
    }
    additional = [] if message.opt is None else [message.opt]
    return {
        "id": message.id,
        **flags,
        "opcode": message.opcode(),
        "rcode": message.rcode(),
        "questions": [
            {"qname": _name(each.name), "qtype": each.rdtype, "qclass": each.rdclass} for each in message.question
        ],
        "answers": list(map(_record, message.answer)),
        "authorities": list(map(_record, message.authority)),
        "additionals": [
            *map(_record, message.additional),
            *({"type": dns.rdatatype.OPT, "class": message.payload} for _ in additional),
        ],
    }


def _record(found: dns.rrset.RRset) -> dict[str, Any]:
    kind = found.deleting or found.rdclass
    own: dict[str, Any] = {"name": _name(found.name), "type": found.rdtype, "class": kind, "ttl": found.ttl}
    data = next(iter(found), None)
    if data is None:
        return own | {"data": b""}
    match found.rdtype:
        case dns.rdatatype.A if kind == dns.rdataclass.CH:
            own["a"] = None
        case dns.rdatatype.A:
            own["a"] = data.address
        case dns.rdatatype.AAAA:
            own["aaaa"] = data.address
        case dns.rdatatype.MX:
            own |= {"preference": data.preference, "exchange": _name(data.exchange)}
        case dns.rdatatype.CNAME | dns.rdatatype.PTR:
            own["domain"] = _name(data.target)
        case dns.rdatatype.TXT:
            own["txt"] = list(data.strings)
        case dns.rdatatype.SOA:
            own["soa"] = {
                "mname": _name(data.mname),
                "serial": data.serial,
                "refresh": data.refresh,
                "minimum": data.minimum,
            }
    return own


def _name(name: dns.name.Name) -> str:
    return ".".join(label.decode("latin-1") for label in name.labels) or "."


def with_names(value: Any) -> Any:
    """A row with names as dnspython writes them, found along their pointers."""
    match value:
        case {"labels": list()}:
            return ".".join(_labels(value)) or "."
        case dict():
            return {name: with_names(inner) for name, inner in value.items()}
        case list():
            return list(map(with_names, value))
    return value


def _labels(name: dict[str, Any]) -> Iterator[str]:
    for label in name["labels"]:
        if label.get("target") is None:
            yield label["label"]
        else:
            yield from _labels(label["target"])


TEXTS = (
    *RECORDS,
    ("example.org.", 0, "NS", "a.b.c.example.org."),
    ("example.org.", 1, "SOA", "ns.example.org. hostmaster.example.org. 1 2 3 4 5"),
    ("example.org.", 2**31 - 1, "CAA", '0 issue "ca.example"'),
    ("example.org.", 60, "DS", "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118"),
    ("example.org.", 60, "HTTPS", "1 . alpn=h2,h3 ipv4hint=192.0.2.1"),
    ("example.org.", 60, "NAPTR", '100 50 "s" "z3950+n2l+n2c" "" _z3950._tcp.example.org.'),
    ("example.org.", 60, "TXT", '""'),
    ("\\000\\255x." + "y" * 63 + ".org.", 60, "A", "255.255.255.255"),
    ("*.example.org.", 60, "DNAME", "other.example.net."),
    ("_443._tcp.example.org.", 60, "TLSA", "3 1 1 " + "ab" * 32),
)


def varied(random: Random) -> Iterator[Capture]:
    """Datagrams of every opcode, with records of many kinds, compressed or not, updates and EDNS."""
    for name, message, compress in varied_messages(random):
        data = message.to_wire(origin=None) if compress else _uncompressed(message)
        yield Capture(name, data, ({"datagram": read(data)},), told=with_names)


def varied_messages(random: Random) -> Iterator[tuple[str, dns.message.Message, bool]]:
    """Messages, and whether their names point to each other."""
    while True:
        kind = random.choice(("query", "response", "update", "notify", "chaos"))
        name = random.choice(TEXTS)[0]
        message: dns.message.Message
        if kind == "update":
            message = _update(random)
        else:
            edns = random.choice((-1, 0))
            message = dns.message.make_query(name, random.choice(("A", "ANY", "AXFR", 65280)), use_edns=edns)
            message.flags = random.getrandbits(16) & 0x87B0
        message.id = random.getrandbits(16)
        if kind in ("response", "notify"):
            for section in (message.answer, message.authority, message.additional):
                section += [_rrset(random.choice(TEXTS)) for _ in range(random.randrange(4))]
            message.set_rcode(random.randrange(11))
        if kind == "notify":
            message.set_opcode(dns.opcode.NOTIFY)
        if kind == "chaos":
            message.answer.append(dns.rrset.from_text("host.example.", 0, "CH", "A", "lcs. 0521"))
        yield kind, message, random.random() < 0.7


def _update(random: Random) -> dns.update.UpdateMessage:
    message = dns.update.UpdateMessage("example.org.")
    message.present("a", *random.choice(((), ("A",), ("A", "192.0.2.1"))))
    message.absent("b", *random.choice(((), ("MX",))))
    message.add("c", 300, "A", "192.0.2.2")
    message.delete("d", *random.choice(((), ("AAAA",), ("TXT", '"old"'))))
    return message


def _uncompressed(message: dns.message.Message) -> bytes:
    """The message with every name written out."""
    with mock.patch.object(dns.renderer.Renderer, "__init__", _without_pointers):
        return message.to_wire()


class _Nothing(dict[Any, Any]):
    def __setitem__(self, key: Any, value: Any) -> None:
        """Remember no name, so that nothing points to it."""


_plain = dns.renderer.Renderer.__init__


def _without_pointers(self: dns.renderer.Renderer, *given: Any, **named: Any) -> None:
    _plain(self, *given, **named)
    self.compress = _Nothing()
