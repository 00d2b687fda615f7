"""``python -m wireloom`` is the program ``wireloom``."""

import sys

from wireloom.extras import needed


def main() -> None:
    """The entry point. It works without the program's own packages, to say that they are missing."""
    try:
        with needed("this program", "cli"):
            import rich  # noqa: F401 - which commands import when they need it

            from wireloom import cli
    except ModuleNotFoundError as error:
        print(f"wireloom: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    cli.main()


if __name__ == "__main__":
    main()
