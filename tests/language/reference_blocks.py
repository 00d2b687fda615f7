"""The pages of the language's reference, and their examples as whole protocols."""

import re
from functools import cache
from typing import Any

from support.documents import dumped, loaded
from support.paths import ROOT

from wireloom_generator.reading import shape, syntax

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs/reference").glob("*.md"))}
BLOCKS = [
    match[1]
    for name, page in PAGES.items()
    if name != "tutorial"
    for match in re.finditer(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
]
FRAME = next(block for block in BLOCKS if block.startswith("protocol: frame"))
SHOWN = re.compile(r"^# ((?:[0-9a-f]{2}+ ?)+)→ (.*)$", re.MULTILINE)


@cache
def documents(block: str) -> str:
    """A block as a whole protocol, the bytes it shows as worked examples."""
    shown = [(data.strip(), outcome) for data, outcome in SHOWN.findall(block)]
    parts = [loaded(part) for part in re.split(r"^---\n", block, flags=re.MULTILINE)]
    if "protocol" in parts[0] and not shown:
        return block
    protocol, message = (loaded(part) for part in FRAME.split("---\n"))
    for part in parts:
        if isinstance(part, list):
            message["sections"] = {"body": part}
        else:
            target = protocol if set(part) <= set(shape.keys(syntax.Protocol)) else message
            target.update(part)
    whole = any("record" in part for part in parts)
    message.setdefault("examples", []).extend(_example(data, outcome, whole) for data, outcome in shown)
    return dumped(protocol) + "---\n" + dumped(message)


def _example(data: str, outcome: str, whole: bool) -> dict[str, Any]:
    digits = data.replace(" ", "")
    record = digits if whole else f"{len(digits) // 2:04x}{digits}"
    said = loaded(outcome)
    code = {"malformed": said["malformed"]} if set(said) == {"malformed"} else {"decoded": said}
    return {"name": f"{data} → {outcome}", "hex": record, **code}
