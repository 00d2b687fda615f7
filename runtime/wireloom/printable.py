"""Text for terminals."""


def printable(text: str) -> str:
    """The text with every character escaped that is invisible or has an effect on a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
