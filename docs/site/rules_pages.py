"""The catalogue of rules, from their pages."""

from collections.abc import Iterable, Iterator

from wireloom_generator.emitters.docs.markdown import cell, prose
from wireloom_generator.rulebook import Family, RuleDoc

_FAMILIES = {
    Family.SPEC: (
        "Rules of specs",
        "`wireloom check` and `wireloom generate` report every place that breaks one of these rules, as"
        " `path:line:column: error[rule]: what is wrong; how to fix it`.",
    ),
    Family.COMPAT: (
        "Rules of compatibility",
        "`wireloom compat` reports the changes between two versions of a protocol, and what each of them breaks.",
    ),
}
_CATEGORIES = {
    "": "",
    "WIRE": "Bytes on the wire",
    "CODEC": "The Python API",
    "TABLE": "Tables",
    "DOCS": "Documentation",
}


def rules_page(family: Family, entries: Iterable[RuleDoc]) -> str:
    """The page of a family: a list of all rules, then each with its reason and its examples."""
    title, about = _FAMILIES[family]
    mine = [entry for entry in entries if entry.family == family]
    lines = [f"# {title}", "", about, "", "| Rule | What must hold |", "|---|---|"]
    lines += [f"| [`{entry.id}`](#{entry.id}) | {cell(prose(entry.purpose))} |" for entry in mine]
    for category in sorted({entry.category for entry in mine}, key=list(_CATEGORIES).index):
        if category:
            lines += ["", f"## {_CATEGORIES[category]}"]
        for entry in mine:
            if entry.category == category:
                lines += _entry(entry, "###" if category else "##")
    return "\n".join(lines) + "\n"


def _entry(entry: RuleDoc, heading: str) -> Iterator[str]:
    yield ""
    yield f"{heading} `{entry.id}` {{ #{entry.id} }}"
    yield ""
    yield f"**{prose(entry.purpose)}**"
    if entry.text:
        yield ""
        yield prose(entry.text)
    for title, example in (("Bad", entry.bad), ("Good", entry.good)):
        if example:
            yield ""
            yield f"{title}:"
            yield ""
            yield f"```yaml\n{example}\n```"
