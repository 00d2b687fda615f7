"""Specs that are large or deep: by what they are, each as the protocol's file and its message's."""

from collections.abc import Callable, Iterable, Iterator

Spec = tuple[str, str]

PLAIN = "{name: number, type: u8}"


def named(made: Callable[[int], Spec]) -> Callable[[int], Iterable[tuple[str, str]]]:
    """The files of a spec of some size, by name."""
    return lambda count: zip(("protocol", "all"), made(count), strict=True)


def spec(body: str, *, declared: str = "", length: int = 1, more: str = "") -> Spec:
    record = f"record: {{length: {length}, fields: [{{section: body, size: rest}}]}}\n"
    message = f"message: all\nmatch: {{}}\nsections:\n  body: [{body}]\n{more}"
    return f"protocol: large\nbyte_order: big\n{declared}{record}", message


def plain(count: int) -> Iterator[str]:
    """So many plain fields."""
    return (f"{{name: f{number}, type: u16}}" for number in range(count))


def fields(count: int) -> Spec:
    """So many plain fields, and an example with all of them."""
    return spec(", ".join(plain(count)), length=2 * count, more=f'examples: [{{name: all, hex: "{"0001" * count}"}}]\n')


def enum(count: int) -> Spec:
    values = "".join(f"  - {{name: V{number}, value: {number}}}\n" for number in range(count))
    return spec("{name: number, type: u32, enum: E}", declared=f"enums:\n- name: E\n  values:\n{values}", length=4)


def chain(depth: int, *, times: int = 1) -> Spec:
    """Types that each hold the next."""
    types = "".join(f"- {{name: T{n}, fields: [{_inner(n, times)}]}}\n" for n in range(depth - 1))
    last = f"- {{name: T{depth - 1}, fields: [{PLAIN}]}}\n"
    return spec("{name: first, type: T0}", declared=f"types:\n{types}{last}", length=times ** (depth - 1))


def _inner(number: int, times: int) -> str:
    return ", ".join(f"{{name: f{index}, type: T{number + 1}}}" for index in range(times))


def expression(text: str, kind: str = "i64") -> Spec:
    return spec(f'{PLAIN}, {{name: other, type: {kind}, compute: "{text}"}}')


def sections(depth: int) -> Spec:
    body = PLAIN
    for number in range(depth):
        body = f"{{section: s{number}, size: 1, fields: [{body}]}}"
    return spec(body)


def conditions(count: int) -> Spec:
    """Fields that are each there on a condition about the one before."""
    names = (f"{{name: f{number}, type: u8, when: f{number - 1} == 1}}" for number in range(1, count))
    return spec(", ".join(["{name: f0, type: u8}", *names]))


def alike(count: int) -> Spec:
    """Fields that are each there on one condition."""
    names = (f"{{name: f{number}, type: u8, when: number == 1}}" for number in range(count))
    return spec(", ".join([PLAIN, *names]))


def choices(count: int) -> Spec:
    """Choices one behind the other, each by the same number."""
    one = "{choice: [{when: number == %d, fields: [{name: f%d, type: u8}]}, {fields: [{name: g%d, type: u8}]}]}"
    return spec(
        ", ".join([PLAIN, *(one % (number % 200, number, number) for number in range(count))]), length=count + 1
    )


def unknown(count: int) -> Spec:
    """Fields that each ask for a name that nothing has."""
    return spec(", ".join(f"{{name: f{n}, type: u8, when: other_{n} == 1}}" for n in range(count)))


def unknown_types(count: int) -> Spec:
    """Fields of types that nothing declares, beside as many that are declared."""
    names = ", ".join(f"{{name: f{n}, type: Other{n}}}" for n in range(count))
    types = "".join(f"- {{name: Known{n}, fields: [{PLAIN}]}}\n" for n in range(count))
    return spec(names, declared=f"types:\n{types}")


def matched(count: int) -> Spec:
    """A message that matches so many values of a number that has a rule."""
    head = "{name: kind, type: u32, valid: kind != 7777777}"
    record = f"record: {{length: 4, fields: [{head}, {{section: body, size: rest}}]}}\n"
    listed = ", ".join(map(str, range(count)))
    message = f"message: all\nmatch: {{kind: [{listed}]}}\nsections: {{body: []}}\n"
    return f"protocol: large\nbyte_order: big\n{record}", message


def values(count: int, each: int) -> Spec:
    """Variants that are each told by so many values."""
    listed = (", ".join(str(number * each + value) for value in range(each)) for number in range(count))
    cases = "".join(
        f"- {{name: v{number}, when: 'number in ({found})', sections: {{body: []}}}}\n"
        for number, found in enumerate(listed)
    )
    return spec("{name: number, type: u32}", length=4, more=f"otherwise: true\nvariants:\n{cases}")


def variants(count: int, kind: str = "u8", length: int = 1) -> Spec:
    listed = "".join(f"- {{name: v{n}, when: number == {n}, sections: {{body: []}}}}\n" for n in range(count))
    number = f"{{name: number, type: {kind}}}"
    return spec(number, length=length, more=f"otherwise: true\nvariants:\n{listed}")


def examples(count: int) -> Spec:
    listed = "".join(f"- {{name: Number {n}, hex: '01', decoded: {{number: 1}}}}\n" for n in range(count))
    return spec(PLAIN, more=f"examples:\n{listed}")


def messages(count: int) -> Iterator[tuple[str, str]]:
    """The files of a protocol with so many messages, by name."""
    head = "{length: 2, fields: [{name: kind, type: u16}, {section: body, size: rest}]}"
    yield "protocol", f"protocol: large\nbyte_order: big\nrecord: {head}\n"
    for number in range(count):
        fields = "sections: {body: []}\n"
        yield f"m{number}", f"message: m{number}\nmatch: {{kind: {number}}}\n{fields}"


GROWING: dict[str, tuple[Callable[[int], Iterable[tuple[str, str]]], int]] = {
    "fields": (named(fields), 50),
    "values": (named(enum), 150),
    "conditions": (named(alike), 60),
    "conditions on each before": (named(conditions), 60),
    "choices": (named(choices), 30),
    "variants": (named(lambda count: variants(count, "u16", 2)), 400),
    "values of variants": (named(lambda count: values(count, 10)), 30),
    "values of a match": (named(matched), 200),
    "messages": (messages, 30),
    "examples": (named(examples), 40),
    "unknown names": (named(unknown), 220),
    "unknown types": (named(unknown_types), 220),
    "fields of types in types": (named(lambda count: chain(count.bit_length(), times=2)), 64),
}
"""What a spec can have much of, by what it is: its files for a count, and a count at which that shows."""

TAKEN = {
    "types in types": chain(31),
    "a type twice, often": chain(8, times=2),
    "operations in operations": expression("number + " * 60 + "1"),
    "signs": expression("~" * 60 + "number"),
    "brackets": expression("(1 + " * 60 + "number" + ")" * 60),
    "choices": expression("(1 if number == 1 else " * 30 + "number" + ")" * 30),
    "a long condition": expression("number == 3 or " * 200 + "number == 1", "bool"),
    "sections in sections": sections(40),
    "many values": enum(500),
    "many fields": fields(300),
    "many variants": variants(40),
    "many examples": examples(100),
    "a condition on each before": conditions(150),
    "many variants of many values": values(12, 100),
}
"""What may be slow, or too deep for something, and is a spec like any other."""

REFUSED = {
    "types that double": (chain(26, times=2), "too-large"),
    "a long chain of types": (chain(3000), "too-large"),
    "signs without end": (expression("-" * 100_000 + "1"), "expression"),
    "too many signs": (expression("~" * 400 + "number"), "expression"),
    "denials": (expression("not " * 400 + "number == 1", "bool"), "expression"),
    "powers of brackets": (expression("(" * 400 + "number" + ")" * 400), "expression"),
    "a sum without end": (expression("number + " * 300 + "1"), "expression"),
    "a number without end": (expression("number % 0x" + "f" * 3900), "expression"),
    "a name without end": (expression("x" * 100_000), "expression"),
    "lists in lists": (spec("[" * 25_000), "yaml"),
    "mappings in mappings": (spec("{a: " * 25_000), "yaml"),
    "dashes": (spec("\n" + "- " * 25_000), "yaml"),
}
"""What has a limit, with the rule that tells it."""
