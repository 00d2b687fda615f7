"""Which messages are answers to which."""

from wireloom.codec.matching import Given, selections


class Answers:
    """The messages ``to`` which one is an answer; an answer and its request are equal in the fields ``by``.

    Most of the requests whose fields have the ``quiet`` values stay without one. Behind an answer of a variant in
    ``more``, another one to the same request comes.
    """

    def __init__(
        self, to: tuple[str, ...], by: tuple[str, ...], *, quiet: Given | None = None, more: tuple[str, ...] = ()
    ) -> None:
        self.to = to
        self.by = by
        self.quiet = selections(quiet or {})
        self.more = more
