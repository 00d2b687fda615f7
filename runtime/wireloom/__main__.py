"""``python -m wireloom`` is the program ``wireloom``."""

from wireloom.cli import main

if __name__ == "__main__":
    main()
