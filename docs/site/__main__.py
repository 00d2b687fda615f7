"""``python docs/site``: stages the pages and builds the site from them. See docs/decisions/0013."""

import argparse
import re
import shutil
from pathlib import Path, PurePosixPath

from command_line import command_line_page
from rules_pages import rules_page
from staging import Stage

from wireloom.cli import app
from wireloom.inspection import fragment
from wireloom_generator import rulebook
from wireloom_generator.emitters import Subject
from wireloom_generator.generate import subjects
from wireloom_generator.problems import Severity
from wireloom_generator.site import protocols
from wireloom_generator.site.building import Navigation, SiteError, build

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROTOCOLS = "protocols/"
ABOUT = "A binary message layout, written down once: parsers, table schemas and documentation that cannot disagree."
PREFERRED = ("Guide", "Language", "Reference")
_PLACES = {
    "README.md": "guide.md",
    "examples/protocols/README.md": "formats.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "docs/decisions": "decisions/index.md",
    "docs/decisions/README.md": "decisions/index.md",
}
"""Files of the checkout and their pages; those of a kind are found by ``_places``."""
_GUIDE = (
    "README.md",
    "docs/tables.md",
    "docs/interop.md",
    "docs/python.md",
    "docs/cdc.md",
    "docs/cdc-databus.md",
    "docs/traffic.md",
    "docs/pairing.md",
    "docs/commands.md",
    "docs/spark.md",
    "docs/recipes.md",
    "docs/clusters.md",
    "docs/tuning.md",
    "docs/versions.md",
    "docs/your-protocol.md",
    "docs/lab.md",
    "docs/editors.md",
    "docs/import.md",
    "docs/compared-with-cobrix.md",
    "examples/protocols/README.md",
    "docs/wireshark.md",
    "docs/c.md",
    "docs/kaitai.md",
    "docs/limits.md",
)
"""How to use it; the other pages in ``docs`` are about the project."""


def main() -> None:
    """Build into the folder that the command line names, ``build`` of the checkout if none."""
    parser = argparse.ArgumentParser(description="Builds the documentation: pages in OUT/pages, the site in OUT/site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build", help="build of the checkout otherwise")
    out: Path = parser.parse_args().out.resolve()
    for folder in (out / "pages", out / "site"):
        shutil.rmtree(folder, ignore_errors=True)
    navigation = _stage(Stage(ROOT, out / "pages", _places()))
    for folder in (HERE / "assets", ROOT / "docs" / "pictures"):
        shutil.copytree(folder, out / "pages" / folder.name)
    preferred = [entry for entry in navigation if entry[0] in PREFERRED]
    try:
        build(out, "Wireloom", ABOUT, navigation, preferred)
    except SiteError as error:
        raise SystemExit(str(error)) from None


def _places() -> dict[PurePosixPath, str]:
    """The pages of files that are made into one."""
    found = {PurePosixPath(path): name for path, name in _PLACES.items()}
    for path in _files("docs/*.md", "docs/decisions/0*.md", "docs/reference/*.md", "docs/pictures/*.*"):
        found[path] = path.relative_to("docs").as_posix()
    for path in _files("docs/site/pages/*.md"):
        found[path] = path.name
    for path in _files("generated/docs/*/*.md"):
        found[path] = f"{PROTOCOLS}{path.relative_to('generated/docs')}"
    for path in _files("specs/*/*.yaml", "specs/*/*/*.yaml"):
        found[path] = f"{PROTOCOLS}{path.with_suffix('.md')}"
    return found


def _files(*patterns: str) -> list[PurePosixPath]:
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [PurePosixPath(path.relative_to(ROOT).as_posix()) for path in paths]


def _stage(stage: Stage) -> Navigation:
    """Write every page, and give the navigation."""
    found, problems = subjects([ROOT / "specs"])
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise SystemExit("the specs have problems, see: wireloom check")
    entries = rulebook.ENTRIES

    def file(path: str) -> str:
        return stage.file(PurePosixPath(path))

    reference = [
        *(stage.page(f"rules-{family}.md", rules_page(family, entries)) for family in rulebook.Family),
        stage.page("command-line.md", command_line_page(app, "wireloom")),
    ]
    others = [path for path in _files("docs/*.md") if str(path) not in _GUIDE]
    project = [file("CHANGELOG.md"), file("CONTRIBUTING.md"), *map(stage.file, others)]
    return [
        ("Home", stage.file(PurePosixPath("docs/site/pages/index.md"), _examples(found))),
        ("Guide", list(map(file, _GUIDE))),
        ("Language", _language(stage)),
        ("Protocols", protocols.stage(stage, found, PROTOCOLS)),
        ("Reference", reference),
        ("Project", [*project, ("Decisions", _decisions(stage))]),
    ]


def _examples(found: list[Subject]) -> dict[str, str]:
    """The marks that hand-written pages may have, and the annotated examples that replace them."""
    return {
        f"<!-- example {subject.protocol.name} {message}: {name} -->": f"\n{fragment(traced.inspected)}\n"
        for subject in found
        for (message, name), traced in subject.traces.items()
    }


def _language(stage: Stage) -> Navigation:
    """The pages of the language's reference, the chapters in the order and groups of its first page."""
    folder = PurePosixPath("docs/reference")
    text = (ROOT / folder / "index.md").read_text(encoding="utf-8")
    first, _, table = text.partition("\n## Chapters\n")
    found: list[tuple[str, list[str]]] = []
    for group, chapter in re.findall(r"^\| (?:\*\*(.*)\*\*|\[.*?\]\(([\w-]+\.md)\)) \|", table, re.MULTILINE):
        if group:
            found.append((group, []))
        else:
            found[-1][1].append(stage.file(folder / chapter))
    pages = ["index.md", *dict.fromkeys(re.findall(r"\]\(([\w-]+\.md)\)", first))]
    return [*(stage.file(folder / page) for page in pages), *found]


def _decisions(stage: Stage) -> Navigation:
    """The index of decisions, and their pages."""
    return list(map(stage.file, _files("docs/decisions/README.md", "docs/decisions/0*.md")))


if __name__ == "__main__":
    main()
