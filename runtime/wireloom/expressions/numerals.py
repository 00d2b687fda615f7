"""A number that remembers how it was written."""


class Hexadecimal(int):
    """A number that the spec writes in hexadecimal with this many ``digits``. It equals the plain number."""

    digits: int

    def __new__(cls, text: str) -> "Hexadecimal":
        """The number in a text such as ``0x0c``."""
        number = super().__new__(cls, text, 16)
        number.digits = len(text.lower().partition("x")[2])
        return number

    def __repr__(self) -> str:
        return f"{'-' * (self < 0)}0x{abs(self):0{self.digits}x}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Hexadecimal, (repr(self),)


def integer(text: str) -> int:
    """The whole number in a text: decimal, hexadecimal or as Python writes it. Raises ``ValueError``."""
    digits = text.replace("_", "")
    return Hexadecimal(digits) if digits.lower().lstrip("+-").startswith("0x") else int(digits, 0)
