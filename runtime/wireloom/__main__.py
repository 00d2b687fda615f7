"""``python -m wireloom`` is the program ``wireloom``."""

import sys
from importlib.util import find_spec

from wireloom.extras import needed


def main() -> None:
    """The entry point. It works without the program's own packages, to say that they are missing."""
    try:
        with needed("this program", "cli"):
            if find_spec("rich") is None:  # which commands import when they need it
                raise ModuleNotFoundError(name="rich")
            from wireloom import cli
    except ModuleNotFoundError as error:
        print(f"wireloom: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    cli.main()


if __name__ == "__main__":
    main()
