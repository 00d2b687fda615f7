"""Words → data description entries: the items of a copybook, each with its clauses."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from wireloom_generator.importers import SourceError
from wireloom_generator.importers.copybook.data_items import (
    Condition,
    Copybook,
    DataItem,
    Occurs,
    Refused,
    Sign,
    Usage,
    Value,
)
from wireloom_generator.importers.copybook.lines import Comment, Gap, Word, parts
from wireloom_generator.importers.copybook.pictures import Picture, PictureError, picture
from wireloom_generator.problems import Location

MOST_ENTRIES = 10_000
MOST_WORDS = 10_000
"""Of an entry: conditions can have many values."""
_NAME = re.compile(r"[A-Z0-9:@#$_][A-Z0-9:@#$_-]*", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)?|[.,]\d+)")
_FIGURATIVE = {
    "ZERO": "ZERO", "ZEROS": "ZERO", "ZEROES": "ZERO", "SPACE": "SPACE", "SPACES": "SPACE",
    "HIGH-VALUE": "HIGH-VALUE", "HIGH-VALUES": "HIGH-VALUE", "LOW-VALUE": "LOW-VALUE", "LOW-VALUES": "LOW-VALUE",
    "QUOTE": "QUOTE", "QUOTES": "QUOTE", "NULL": "NULL", "NULLS": "NULL",
}  # fmt: skip


_USAGES = {
    **{f"{word}{number}": usage for word in ("COMP", "COMPUTATIONAL") for number, usage in (
        ("", Usage.BINARY), ("-0", Usage.BINARY), ("-1", Usage.SINGLE), ("-2", Usage.DOUBLE), ("-3", Usage.PACKED),
        ("-4", Usage.BINARY), ("-5", Usage.NATIVE), ("-6", Usage.UNSIGNED), ("-3U", Usage.UNSIGNED),
        ("-9", Usage.LITTLE),
    )},
    **{usage.value: usage for usage in Usage if not usage.value.startswith("COMP")},
    "BINARY": Usage.BINARY, "PACKED-DECIMAL": Usage.PACKED, "POINTER-32": Usage.POINTER,
}  # fmt: skip


def copybook(path: Path, text: str) -> Copybook:
    """What is in a copybook. Raises ``SourceError``."""
    found = Copybook()
    around: list[DataItem] = []
    count = 0
    for words, doc in _entries(path, text):
        count += 1
        if count > MOST_ENTRIES:
            raise SourceError(words[0].at, f"more than {MOST_ENTRIES} entries")
        entry = _Entry(words)
        level = entry.level()
        if level in (66, 78):
            found.refused.append(entry.refused(level))
        elif level == 88:
            condition = entry.condition()
            if not around:
                raise SourceError(words[0].at, f"there is no item that {condition.name} is about")
            around[-1].conditions.append(condition)
        else:
            item = entry.item(level, doc)
            while around and around[-1].level >= item.level:
                around.pop()
            if item.level == 1:
                found.records.append(item)
            elif around:
                _add(around[-1], item)
            else:
                found.loose.append(item)
            around.append(item)
    if not count:
        raise SourceError(Location(path, 1, 1), "there is no entry in it")
    return found


def _add(group: DataItem, item: DataItem) -> None:
    if group.picture is not None:
        what = f"{item.shown} is inside of {group.shown}, which has a picture and so is no group"
        raise SourceError(item.at, what, "check the levels")
    group.items.append(item)


def _entries(path: Path, text: str) -> Iterator[tuple[list[Word], str]]:
    """The words of each entry, and the comments on its lines and above it."""
    above: list[str] = []
    words: list[Word] = []
    whole: list[Word] = []
    for part in parts(path, text):
        match part:
            case Gap():
                if whole:
                    yield whole, _doc(above)
                    whole, above = [], []
                elif not words:
                    above = []
            case Comment() if not words and whole and part.beside and part.at.line == whole[-1].at.line:
                above.append(part.text)
            case Comment():
                if whole:
                    yield whole, _doc(above)
                    whole, above = [], []
                above.append(part.text)
            case Word() if part.text == ".":
                if words:
                    words.append(part)
                    whole, words = words, []
            case Word():
                if whole:
                    yield whole, _doc(above)
                    whole, above = [], []
                words.append(part)
                if len(words) > MOST_WORDS:
                    raise SourceError(words[0].at, f"the entry {words[0].text[:40]!r} has more than {MOST_WORDS} words")
    if words:
        _level(words[0])
        raise SourceError(words[0].at, f"the entry {words[0].text[:40]!r} does not end", "a period ends it")
    if whole:
        yield whole, _doc(above)


def _doc(comments: list[str]) -> str:
    """Comments as a text, without lines that only decorate."""
    bare = (comment.strip(" *-=+|#/_~\t") for comment in comments)
    return " ".join(" ".join(line.split()) for line in bare if re.search(r"\w", line))


def _level(word: Word) -> int:
    level = int(word.text) if re.fullmatch(r"\d{1,2}", word.text, re.ASCII) else 0
    if not 1 <= level <= 49 and level not in (66, 77, 78, 88):
        hint = "a copybook has entries that begin with 01 to 49, 66, 77 or 88"
        raise SourceError(word.at, f"{word.text[:40]!r} is not a level number", hint)
    return level


class _Entry:
    """The words of an entry, read one after the other."""

    def __init__(self, words: list[Word]) -> None:
        self._words = words
        self._next = 0

    @property
    def _word(self) -> Word:
        return self._words[self._next]

    @property
    def _upper(self) -> str:
        return self._word.text.upper()

    def _take(self) -> Word:
        word = self._word
        if word.text == ".":
            raise SourceError(word.at, "the entry ends too early", "a period ends it")
        self._next += 1
        return word

    def _skip(self, *names: str) -> bool:
        """Whether the next word is one of these, which is then read."""
        if self._upper in names:
            self._next += 1
            return True
        return False

    def level(self) -> int:
        return _level(self._take())

    def refused(self, level: int) -> Refused:
        at = self._words[0].at
        name = self._take().text
        reason = "RENAMES gives a second name to bytes" if level == 66 else "a constant has no bytes"
        return Refused(name, at, f"level {level}: {reason}")

    def condition(self) -> Condition:
        name = self._name()
        if not self._skip("VALUE", "VALUES"):
            raise SourceError(self._word.at, f"{self._word.text[:40]!r} in place of VALUE")
        values = self._values()
        if self._skip("WHEN"):  # SET TO FALSE
            self._skip("SET"), self._skip("TO")
        if self._skip("FALSE"):
            self._skip("IS")
            self._value()
        self._end()
        return Condition(name, self._words[0].at, values)

    def item(self, level: int, doc: str) -> DataItem:
        item = DataItem(1 if level == 77 else level, "", self._words[0].at, doc)
        if (
            not self._skip("FILLER")
            and self._upper not in _CLAUSES
            and self._word.text != "."
            and self._upper not in _USAGES
        ):
            item.name = self._name()
        shown: list[str] = []
        while self._word.text != ".":
            start = self._next
            if self._clause(item):
                shown += (word.text for word in self._words[start : self._next])
        item.clauses = " ".join(shown)
        return item

    def _clause(self, item: DataItem) -> bool:
        """Read a clause, and give whether it is about the form of the item."""
        word = self._take()
        match word.text.upper():
            case "PIC" | "PICTURE":
                self._skip("IS")
                item.picture = self._picture()
            case "USAGE":
                self._skip("IS")
                item.usage = self._usage(self._take())
            case "SIGN" | "LEADING" | "TRAILING":
                self._next -= 1
                item.sign = self._sign()
            case "SYNC" | "SYNCHRONIZED":
                item.is_synchronized = True
                self._skip("LEFT", "RIGHT")
            case "JUST" | "JUSTIFIED":
                item.is_justified = True
                self._skip("RIGHT")
            case "OCCURS":
                item.occurs = self._occurs()
                return False
            case "REDEFINES":
                item.redefines = self._name()
                return False
            case "VALUE" | "VALUES":
                item.value = self._values()[0][0]
                return False
            case "BLANK":
                self._skip("WHEN")
                self._skip("ZERO", "ZEROS", "ZEROES")
            case "EXTERNAL" | "GLOBAL" | "VOLATILE" | "UNBOUNDED" | "DYNAMIC":
                return False
            case "GROUP-USAGE":
                self._skip("IS")
                self._skip("NATIONAL")
                item.usage = Usage.NATIONAL
            case _:
                item.usage = self._usage(word)
        return True

    def _name(self) -> str:
        word = self._take()
        if not _NAME.fullmatch(word.text) or len(word.text) > 60:
            raise SourceError(word.at, f"{word.text[:40]!r} is not a name")
        return word.text.upper()

    def _usage(self, word: Word) -> Usage:
        found = _USAGES.get(word.text.upper())
        if found is None:
            hint = "is there a period before it, within column 72?" if word.text.isdigit() else ""
            raise SourceError(word.at, f"{word.text[:40]!r} is not a clause or a usage that is known here", hint)
        return found

    def _picture(self) -> Picture:
        word = self._take()
        try:
            return picture(word.text)
        except PictureError as error:
            raise SourceError(word.at, f"the picture {word.text[:40]!r} {error}") from None

    def _sign(self) -> Sign:
        if self._skip("SIGN"):
            self._skip("IS")
        word = self._take()
        if word.text.upper() not in ("LEADING", "TRAILING"):
            raise SourceError(word.at, f"{word.text[:40]!r} in place of LEADING or TRAILING")
        is_separate = self._skip("SEPARATE")
        self._skip("CHARACTER")
        return Sign(word.text.upper() == "LEADING", is_separate)

    def _occurs(self) -> Occurs:
        at = self._word.at
        least = most = self._number()
        if self._skip("TO"):
            most = self._number()
        self._skip("TIMES")
        depending: tuple[str, ...] = ()
        while True:
            if self._skip("DEPENDING"):
                self._skip("ON")
                depending = (self._name(),)
                while self._skip("OF", "IN"):
                    depending = (*depending, self._name())
            elif self._skip("ASCENDING", "DESCENDING"):
                self._skip("KEY"), self._skip("IS")
                self._names()
            elif self._skip("INDEXED"):
                self._skip("BY")
                self._names()
            else:
                break
        if most < 1 or least > most:
            raise SourceError(
                at, f"OCCURS {least} TO {most}" if least != most else f"OCCURS {most}", "at least 1 TIMES"
            )
        return Occurs(least, most, depending)

    def _names(self) -> None:
        while self._word.text != "." and self._upper not in _CLAUSES and self._upper not in _USAGES:
            self._name()

    def _number(self) -> int:
        word = self._take()
        if not re.fullmatch(r"\d{1,18}", word.text, re.ASCII):
            raise SourceError(word.at, f"{word.text[:40]!r} is not a number of occurrences")
        return int(word.text)

    def _values(self) -> list[tuple[Value, Value | None]]:
        self._skip("IS", "ARE")
        found = []
        while True:
            low = self._value()
            high = self._value() if self._skip("THRU", "THROUGH") else None
            found.append((low, high))
            if (
                self._word.text == "."
                or self._upper in _CLAUSES
                or self._upper in _USAGES
                or self._upper in ("WHEN", "FALSE")
            ):
                return found

    def _value(self) -> Value:
        self._skip("ALL")
        word = self._take()
        if word.text.upper() in _FIGURATIVE:
            return Value(word.text, figurative=_FIGURATIVE[word.text.upper()])
        if word.text[0] in "'\"":
            quote = word.text[0]
            return Value(word.text, text=word.text[1:-1].replace(quote * 2, quote))
        if word.text[-1] in "'\"":
            return Value(word.text)
        if _NUMBER.fullmatch(word.text):
            return Value(word.text, number=Decimal(word.text.replace(",", ".")))
        raise SourceError(word.at, f"{word.text[:40]!r} is not a value")

    def _end(self) -> None:
        if self._word.text != ".":
            raise SourceError(self._word.at, f"{self._word.text[:40]!r} in place of a period")


_CLAUSES = frozenset({
    "PIC", "PICTURE", "USAGE", "SIGN", "LEADING", "TRAILING", "SYNC", "SYNCHRONIZED", "JUST", "JUSTIFIED", "OCCURS",
    "REDEFINES", "VALUE", "VALUES", "BLANK", "EXTERNAL", "GLOBAL", "VOLATILE", "GROUP-USAGE", "ASCENDING", "DESCENDING",
    "INDEXED", "DEPENDING",
})  # fmt: skip
