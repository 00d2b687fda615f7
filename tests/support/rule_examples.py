"""The examples of rules' pages, made whole: a fragment put where it belongs in a small protocol.

The protocol declares what a fragment refers to without declaring it: header fields, enums, a table, a library beside.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from wireloom_generator import frontend
from wireloom_generator.problems import Problem

HEADER = {
    "opcode": "u8", "version": "u8", "nibble": "u8", "magic": "u8", "flags": "u8", "number": "u8",
    "mark": "u16", "is_wide": "bool", "key_length": "u16", "body_length": "u16", "total": "u32", "unit": "u16",
    "opaque": "u32",
}  # fmt: skip
DECLARED = {
    "enums": {"Status": "values: [{name: Ok, value: 0}]", "Kind": "values: [{name: One, value: 1}]"},
    "flags": {"Attributes": "values: [{name: Hidden, value: 1}]"},
    "tables": {"Collection": "fields: [{name: uid, type: u64, id: 0}]"},
    "variants": {"refused": "doc: It was refused."},
    "parameters": {
        "byte_order": "type: text, choices: [big, little], default: big",
        "collections": "type: bool, default: false",
    },
}
OF_PROTOCOL = (
    "protocol",
    "byte_order",
    "title",
    "imports",
    "ports",
    "enums",
    "flags",
    "types",
    "tables",
    "parameters",
    "record",
)
OF_MESSAGE = ("match", "derive", "variants", "sections", "examples", "forms")
INSIDE = {
    "values": ("{kind}", "- name: Named\n  doc: Numbers.\n"),
    "entries": ("forms", "- name: json\n  style: json_lines\n"),
}
"""Keys of what is inside of a declaration: where it stands, and how it begins."""


def problems(fragment: str, rule: str, root: Path) -> list[Problem]:
    """What is found in the protocol around ``fragment``. That something is declared without being used, or that there
    is no message, counts for the rules about that alone.
    """
    folder = _paths(fragment, root) if re.match(r"[\w/]+\.yaml", fragment) else _files(fragment, rule, root)
    _, found = frontend.read([folder])
    return [problem for problem in found if problem.rule == rule or problem.rule not in ("unused", "no-message")]


def _paths(fragment: str, root: Path) -> Path:
    """Files at the paths, one a line; what one holds may stand behind it as a comment."""
    folder = root
    for line in fragment.splitlines():
        path, _, comment = line.partition("#")
        file = root / path.strip()
        said = re.search(r"(message|protocol|library): \w+", comment)
        kind = "protocol" if file.stem == "protocol" else "message"
        name = file.parent.name if kind == "protocol" else file.stem
        folder = file.parent
        folder.mkdir(parents=True, exist_ok=True)
        body = PING if kind == "protocol" else "match: {opcode: 1}\n"
        file.write_text(f"{said[0] if said else f'{kind}: {name}'}\n{body}")
    if not (folder / "protocol.yaml").exists() and "no protocol.yaml" not in fragment:
        (folder / "protocol.yaml").write_text(f"protocol: {folder.name}\n{PING}")
    return folder


PING = "byte_order: big\nrecord: {length: 1, fields: [{name: opcode, type: u8}, {section: body, size: rest}]}\n"
VALUES = "\n  body:\n    - {name: status, type: u8, enum: Status}\n    - {name: value, type: bytes, size: rest}\n"


def _files(fragment: str, rule: str, root: Path) -> Path:
    protocol: dict[str, str] = {"byte_order": "big"}
    message: dict[str, str] = {"match": "{opcode: 1}"}
    key = found[1] if (found := re.match(r"(\w+):", fragment)) else ""
    if key in OF_PROTOCOL or key == "values":
        for part in re.split(r"^(?=\w+:)", fragment, flags=re.MULTILINE)[1:]:
            name = part.partition(":")[0]
            _put(message if name in OF_MESSAGE else protocol, name, part, rule)
    elif key == "fields" and " id: " in fragment:
        protocol["tables"] = f"\n- name: Listed\n{indent(fragment, '  ')}"
    elif key == "fields":
        protocol["record"] = f"\n  length: 640\n{indent(fragment, '  ')}"
    elif key:
        _put(message, key, fragment, rule)
    else:
        message["sections"] = f"\n  {_slot(fragment)}:\n{indent(fragment, '    ')}"
    if key == "entries":
        message["sections"] = VALUES
        fragment += VALUES
    if "record" in protocol and "{section: body" not in fragment:
        protocol["record"] += "\n    - {section: body, size: rest}"
    for group, named in DECLARED.items():
        wanted = [f"\n- {{name: {name}, {rest}}}" for name, rest in named.items() if _refers(fragment, name)]
        if wanted and group not in protocol:
            protocol[group] = "".join(wanted)
    is_whole = "protocol" in protocol
    with_message = is_whole or "record" not in protocol or len(message) > 1
    if not is_whole:
        protocol.setdefault("record", f"\n  length: 640\n  fields:\n{''.join(_header(fragment))}")
    folder = root / "ping"
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(_joined({"protocol": "ping", **protocol}))
    if with_message:
        (folder / "echo.yaml").write_text("message: echo\n" + _joined(message))
    if "answers" in message:
        (folder / "request.yaml").write_text("message: request\nmatch: {opcode: 2}\n")
    (root / "memcached").mkdir()
    (root / "memcached" / "library.yaml").write_text("library: memcached\n")
    return folder


def _put(file: dict[str, str], key: str, fragment: str, rule: str) -> None:
    if key in INSIDE:
        where, opening = INSIDE[key]
        kind = "flags" if rule == "flag-values" else "enums"
        file[where.format(kind=kind)] = "\n" + opening + indent(fragment, "  ")
    else:
        file[key] = fragment.partition(":")[2]


def _refers(fragment: str, name: str) -> bool:
    declared = rf"name: {name}\b(?!, shared)|^{name}:"
    return bool(re.search(rf"\b{name}\b", fragment)) and not re.search(declared, fragment)


def _header(fragment: str) -> Iterator[str]:
    for name, kind in HEADER.items():
        if name == "opcode" or _refers(fragment, name):
            yield f"    - {{name: {name}, type: {kind}}}\n"
    if _refers(fragment, "extras"):
        yield "    - {section: extras, size: 8}\n"
    yield f"    - {{section: {_slot(fragment)}, size: rest}}\n"


def _slot(fragment: str) -> str:
    """The section for messages; a field that is not all it holds cannot be called as it."""
    return "content" if re.search(r"name: body\b", fragment) else "body"


def _joined(file: dict[str, str]) -> str:
    return "".join(f"{key}: {value.lstrip(' ')}\n" for key, value in file.items())
