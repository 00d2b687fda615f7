"""The reference of the command line, from the program itself: every command, argument and option."""

from collections.abc import Iterator

import click

from wireloom_generator.emitters.docs.markdown import cell, code, prose


def command_line_page(program: click.Group, name: str) -> str:
    """The page of a program."""
    context = click.Context(program, info_name=name, **program.context_settings)
    commands = [
        (command_name, click.Context(command, info_name=command_name, parent=context))
        for command_name in program.list_commands(context)
        if (command := program.resolve_command(context, [command_name])[1]) is not None
    ]
    lines = ["# Command line", "", prose(program.help or ""), "", "| Command | What it does |", "|---|---|"]
    for command_name, found in commands:
        about = cell(prose(found.command.help or ""))
        lines.append(f"| [`{name} {command_name}`](#{command_name}) | {about} |")
    lines += ["", *_parameters(context)]
    for command_name, found in commands:
        lines += ["", f"## `{name} {command_name}` {{ #{command_name} }}", "", prose(found.command.help or ""), ""]
        usage = found.command.get_usage(found).removeprefix("Usage: ")
        lines += ["```console", f"$ {usage}", "```", "", *_parameters(found)]
    return "\n".join(lines) + "\n"


def _parameters(context: click.Context) -> Iterator[str]:
    """Arguments and options, with their texts in ``--help``."""
    told = [(parameter, parameter.get_help_record(context)) for parameter in context.command.get_params(context)]
    for kind, title in (("argument", "Argument"), ("option", "Option")):
        rows = [record for parameter, record in told if record and parameter.param_type_name == kind]
        if rows:
            yield from ("", f"| {title} | |", "|---|---|")
            yield from (f"| {cell(code(shown))} | {cell(prose(about))} |" for shown, about in rows)
