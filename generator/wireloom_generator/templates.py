"""Files from Jinja2 templates, which show the outline of a file; nested parts are passed as text.

A template is in the folder ``templates`` beside the emitter that uses it.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(package: str) -> Environment:
    """The templates in a package's folder ``templates``."""
    return Environment(
        loader=PackageLoader(package),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,
    )


_cached = cache(environment)


def filled(package: str, template: str, /, **values: object) -> str:
    """The text of a file: a template of that package filled in with values."""
    return _cached(package).get_template(f"{template}.j2").render(values)
