"""``wireloom explain``: what a rule requires and why, with a bad and a good example; or how a message is read."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wireloom.cli.arguments import parameters, parameters_of
from wireloom.cli.diagnostics import MisuseError
from wireloom.cli.programs import explain_program
from wireloom.cli.specs import compiler

if TYPE_CHECKING:
    from rich.text import Text

    from wireloom_generator.rulebook import RuleDoc

_CODE = re.compile(r"`(.+?)`", re.DOTALL)


@click.command
@click.argument(
    "rules",
    metavar="[RULE|SPEC]...",
    nargs=-1,
    help="A rule's id, which problems show in brackets; with --program, specs.",
)
@click.option(
    "--program", metavar="MESSAGE", help="Print the program that reads a message, beside the lines of its spec."
)
@click.option("--write", is_flag=True, help="With --program, print the program that writes the message.")
@parameters
def explain(rules: Sequence[str], program: str | None, write: bool, parameters: Sequence[str]) -> None:
    """Explain rules, with a bad and a good example of each; without RULE, list all of them.

    With --program, explain how a message of the specs is read or written: by which instructions, and for which field.
    """
    if program is not None:
        explain_program(program, list(map(Path, rules)), parameters_of(parameters), write=write)
        return
    if write or parameters:
        raise MisuseError(f"{'--write' if write else '-P'} needs --program")
    entries: Sequence[RuleDoc] = compiler("rulebook").ENTRIES
    if not rules:
        _list(entries)
        return
    for number, entry in enumerate(entry for rule in rules for entry in _named(rule, entries)):
        if number:
            print()
        if sys.stdout.isatty():
            _draw(entry)
        else:
            _write(entry)


def _named(rule: str, entries: "Sequence[RuleDoc]") -> "list[RuleDoc]":
    """The entries of a rule, named by its id or as in a problem: ``error[id]``."""
    bracketed = re.search(r"\[([\w-]+)\]", rule)
    wanted = (bracketed[1] if bracketed else rule).replace("_", "-")
    found = [entry for entry in entries if entry.id == wanted]
    if not found:
        near = compiler("problems").closest(wanted, (entry.id for entry in entries))
        raise MisuseError(f"there is no rule {wanted!r}; {near or 'list them with: wireloom explain'}")
    return found


def _list(entries: "Sequence[RuleDoc]") -> None:
    width = max(len(entry.id) for entry in entries)
    families = compiler("rulebook").Family
    titles = {
        families.SPEC: "Rules of specs, for check and generate:",
        families.COMPAT: "Rules of compatibility, for compat:",
    }
    for family, about in titles.items():
        print(about)
        for entry in entries:
            if entry.family == family:
                print(f"  {entry.id:{width}}  {entry.purpose}")


def _write(entry: "RuleDoc") -> None:
    print(f"{_called(entry)}: {entry.purpose}\n\n{entry.text}")
    for title, example in (("Bad", entry.bad), ("Good", entry.good)):
        print(f"\n{title}:\n")
        print("\n".join(f"    {line}".rstrip() for line in example.splitlines()))


def _called(entry: "RuleDoc") -> str:
    """The rule's id, and for a rule of compatibility what its findings break."""
    return f"{entry.id} ({entry.category})" if entry.category else entry.id


def _draw(entry: "RuleDoc") -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.text import Text

    paragraphs = [_marked(" ".join(part.split())) for part in entry.text.split("\n\n")]
    purpose = Text.assemble((_called(entry), "bold cyan"), ": ", (_CODE.sub(r"\1", entry.purpose), "bold"))
    console = Console(highlight=False)
    console.print(purpose, *(Padding(part, (1, 0, 0, 0), expand=False) for part in paragraphs), sep="\n")
    for title, colour, example in (("Bad", "red", entry.bad), ("Good", "green", entry.good)):
        code = Syntax(example, "yaml", theme="ansi_dark", background_color="default", word_wrap=True)
        console.print(f"\n[bold {colour}]{title}:[/]\n")
        console.print(Padding(code, (0, 0, 0, 4), expand=False))


def _marked(text: str) -> "Text":
    """Text with its literals coloured."""
    from rich.text import Text

    marked = Text()
    for number, part in enumerate(_CODE.split(text)):
        marked.append(part, "cyan" if number % 2 else "")
    return marked
