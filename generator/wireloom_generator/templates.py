"""Files from Jinja2 templates, which say what stands where; what is nested is laid out before, and given as text.

A template stands in the folder ``templates`` beside the emitter that fills it in.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(package: str) -> Environment:
    """The templates beside the modules of a package."""
    return Environment(
        loader=PackageLoader(package),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,
    )


@cache
def _environment(package: str) -> Environment:
    return environment(package)


def filled(package: str, template: str, /, **values: object) -> str:
    """The text of a file: a template of that package, with these values in it."""
    return _environment(package).get_template(f"{template}.j2").render(values)
