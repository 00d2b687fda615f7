"""YAML to and from values, as fast as it goes: what is in C where there is that."""

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def loaded(text: str) -> Any:
    """The value that the document ``text`` is."""
    return yaml.load(text, Loader=_LOADER)


def all_loaded(text: str) -> list[Any]:
    """The values of the documents in ``text``, but for empty ones."""
    return [value for value in yaml.load_all(text, Loader=_LOADER) if value is not None]


def dumped(value: Any) -> str:
    """The document of a value, its keys in their order."""
    found: str = yaml.dump(value, Dumper=_DUMPER, sort_keys=False)
    return found
