"""DNS messages as dnspython writes and reads them."""

from collections.abc import Iterator
from typing import Any

import dns.flags
import dns.message
import dns.name
import dns.rdatatype
import dns.rrset

from strangers import Capture

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
            {"qname": each.name.to_text(), "qtype": each.rdtype, "qclass": each.rdclass} for each in message.question
        ],
        "answers": list(map(_record, message.answer)),
        "authorities": list(map(_record, message.authority)),
        "additionals": [{"type": dns.rdatatype.OPT, "class": message.payload} for _ in additional],
    }


def _record(found: dns.rrset.RRset) -> dict[str, Any]:
    (data,) = found
    own: dict[str, Any] = {"name": found.name.to_text(), "type": found.rdtype, "class": found.rdclass, "ttl": found.ttl}
    match found.rdtype:
        case dns.rdatatype.A:
            own["a"] = data.address
        case dns.rdatatype.AAAA:
            own["aaaa"] = data.address
        case dns.rdatatype.MX:
            own |= {"preference": data.preference, "exchange": data.exchange.to_text()}
        case dns.rdatatype.CNAME | dns.rdatatype.PTR:
            own["domain"] = data.target.to_text()
        case dns.rdatatype.TXT:
            own["txt"] = list(data.strings)
        case dns.rdatatype.SOA:
            own["soa"] = {
                "mname": data.mname.to_text(),
                "serial": data.serial,
                "refresh": data.refresh,
                "minimum": data.minimum,
            }
    return own


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
