"""``python docs/site``: stages the pages and builds the site from them. See docs/decisions/0013."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

from command_line import command_line_page
from navigation import Navigation, toml
from protocol_pages import FOLDER, Compiled, compiled, errata_page, protocols_page
from rules_pages import rules_page
from staging import Stage

from wireloom.cli import app
from wireloom.inspection import html
from wireloom_generator import rulebook

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
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
    "examples/protocols/README.md",
    "docs/wireshark.md",
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
    shutil.copytree(HERE / "assets", out / "pages" / "assets")
    shutil.copytree(ROOT / "docs" / "pictures", out / "pages" / "pictures")
    (out / "pages" / "assets" / "annotated.css").write_text(html.stylesheet(), encoding="utf-8")
    (out / "pages" / "assets" / "annotated.js").write_text(html.script(), encoding="utf-8")
    config = (HERE / "zensical.toml").read_text(encoding="utf-8")
    (out / "zensical.toml").write_text(config.replace("nav = []", f"nav = {toml(navigation)}"), encoding="utf-8")
    program = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    status = subprocess.run(program, cwd=out, check=False).returncode
    (out / "site" / "404.html").unlink(missing_ok=True)  # for servers, with links that only one could follow
    sys.exit(status)


def _places() -> dict[PurePosixPath, str]:
    """The pages of files that are made into one."""
    found = {PurePosixPath(path): name for path, name in _PLACES.items()}
    for path in _files("docs/*.md", "docs/decisions/0*.md", "docs/reference/*.md", "docs/pictures/*.svg"):
        found[path] = path.relative_to("docs").as_posix()
    for path in _files("docs/site/pages/*.md"):
        found[path] = path.name
    for path in _files("generated/docs/*/*.md"):
        found[path] = (FOLDER / path.relative_to("generated/docs")).as_posix()
    for path in _files("specs/*/*.yaml", "specs/*/*/*.yaml"):
        found[path] = f"{path.with_suffix('.md')}"
    return found


def _files(*patterns: str) -> list[PurePosixPath]:
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [PurePosixPath(path.relative_to(ROOT).as_posix()) for path in paths]


def _stage(stage: Stage) -> Navigation:
    """Write every page, and give the navigation."""
    protocols = list(compiled(ROOT / "specs"))
    entries = rulebook.ENTRIES

    def file(path: str) -> str:
        return stage.file(PurePosixPath(path))

    reference = [
        *(stage.page(f"rules-{family}.md", rules_page(family, entries)) for family in rulebook.Family),
        stage.page("command-line.md", command_line_page(app, "wireloom")),
        stage.page("errata.md", errata_page(protocols)),
    ]
    others = [path for path in _files("docs/*.md") if str(path) not in _GUIDE]
    project = [file("CHANGELOG.md"), file("CONTRIBUTING.md"), *map(stage.file, others)]
    return [
        ("Home", stage.file(PurePosixPath("docs/site/pages/index.md"), _examples(protocols))),
        ("Guide", list(map(file, _GUIDE))),
        ("Language", _language(stage)),
        ("Protocols", [stage.page("protocols/index.md", protocols_page(protocols)), *_protocols(stage, protocols)]),
        ("Reference", reference),
        ("Project", [*project, ("Decisions", _decisions(stage))]),
    ]


def _examples(protocols: list[Compiled]) -> dict[str, str]:
    """The marks that hand-written pages may have, and the annotated examples that they stand for."""
    return {
        f"<!-- example {one.protocol.name} {message}: {name} -->": shown
        for one in protocols
        for (message, name), shown in one.examples.items()
    }


def _protocols(stage: Stage, protocols: list[Compiled]) -> Navigation:
    """The pages of each protocol, and then its specs."""
    found: list[tuple[str, Navigation]] = []
    for one in protocols:
        groups = {message.name: one.protocol.group(message) for message in one.protocol.messages}
        pages: dict[str, list[str]] = {}
        for file in one.files:
            page = stage.page(file.path.as_posix(), file.text)
            pages.setdefault(groups.get(file.path.stem, ""), []).append(page)
        patterns = [
            f"specs/{folder.name}/{inner}" for folder in one.protocol.folders for inner in ("*.yaml", "*/*.yaml")
        ]
        specs = [stage.file(path) for path in _files(*patterns)]
        found.append((one.title, [*pages.pop("", []), *sorted(pages.items()), ("Specs", specs)]))
    return found


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
