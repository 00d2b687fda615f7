"""Which messages are answers to which."""

from wireloom.codec.matching import Given, selections


class Answers:
    """The messages ``to`` which one is an answer. An answer and its request have equal fields ``by``.

    Most of the requests whose fields have the ``quiet`` values get no answer. After an answer of a variant in ``more``,
    another one to the same request follows.
    """

    def __init__(
        self, to: tuple[str, ...], by: tuple[str, ...], *, quiet: Given | None = None, more: tuple[str, ...] = ()
    ) -> None:
        self.to = to
        self.by = by
        self.quiet = selections(quiet or {})
        self.more = more
