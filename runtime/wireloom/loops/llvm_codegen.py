"""Loops over numbers and bytes in LLVM's language, translated from their Python source.

What is translated is the part of Python that such loops are written in: assignments, arithmetic, comparisons, ``if``,
``while``, ``for`` over an ascending ``range``, and calls of other such functions and of those in ``memory``. Values are
64-bit integers, which wrap around, and arrays of them; an annotation marks a parameter as an array.
As it stays Python, tests and debuggers walk through it.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from wireloom.loops import memory

Function = Any
"""A function with a source, and with names for other functions, which ``Callable`` does not describe."""


def has_source() -> bool:
    """Whether sources can be read, such as this one."""
    try:
        inspect.findsource(has_source)
    except OSError:
        return False
    return True


@cache
def parsed(function: Function) -> ast.FunctionDef:
    """The source of a function. Raises ``RuntimeError`` if the source was changed since it was imported."""
    whole = compile("".join(inspect.findsource(function)[0]), "", "exec").co_consts
    if _told(function.__code__) not in [_told(each) for each in whole if isinstance(each, CodeType)]:
        raise RuntimeError(f"the source of {function.__qualname__} has changed since it was imported")
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(found, ast.FunctionDef)
    return found


def _told(code: CodeType) -> tuple[Any, ...]:
    """The parts of a function's code that its source determines."""
    return code.co_name, code.co_firstlineno, code.co_code, code.co_consts, code.co_names


class _Local(NamedTuple):
    """The kind of a name: a number, or an array, whose rows have ``rows`` numbers each if that is not 1."""

    rows: int = 0


_NUMBER, _ARRAY = _Local(), _Local(1)

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_SHIFTS: dict[type[ast.operator], str] = {ast.LShift: "shl", ast.RShift: "ashr"}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
_LOADS: dict[Any, tuple[int, bool]] = {
    memory.u1: (8, False),
    memory.u2: (16, False),
    memory.u4: (32, False),
    memory.i8: (64, False),
    memory.u2_big: (16, True),
    memory.u4_big: (32, True),
    memory.i8_big: (64, True),
}
_STORES: dict[Any, tuple[int, bool]] = {
    memory.put1: (8, False),
    memory.put2: (16, False),
    memory.put4: (32, False),
    memory.put8: (64, False),
    memory.put2_big: (16, True),
    memory.put4_big: (32, True),
    memory.put8_big: (64, True),
}
_BUILTINS = {"max": max, "min": min}
_DECLARED = """\
declare i16 @llvm.bswap.i16(i16)
declare i32 @llvm.bswap.i32(i32)
declare i64 @llvm.bswap.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
_PRODUCT = "declare <2 x i64> @llvm.x86.pclmulqdq(<2 x i64>, <2 x i64>, i8)\n"


class Module:
    """Functions in LLVM's language: the one called ``name``, which others call, and what it calls itself.

    ``folds`` is whether the processor multiplies polynomials, as ``memory.folded`` does.
    """

    def __init__(self, name: str, *, folds: bool) -> None:
        self.name = name
        self.folds = folds
        self.texts: list[str] = []
        self._functions: dict[Function, tuple[str, int]] = {}

    @classmethod
    def of(cls, name: str, node: ast.FunctionDef, names: Mapping[str, Any], *, folds: bool) -> "Module":
        """A function under that name; ``names`` are those that it does not say itself."""
        found = cls(name, folds=folds)
        found.texts.append(_Function(found, node, names).text(name))
        return found

    def function(self, called: Function) -> tuple[str, int]:
        """The name of a function, and how many numbers it returns."""
        if called not in self._functions:
            node = parsed(called)
            # Names that are not exported are also looked up among those of all modules when these are loaded.
            name = f"{node.name}.{len(self._functions)}.{self.name}"
            self._functions[called] = name, _returned(node)
            self.texts.append(_Function(self, node, called.__globals__).text(name, "internal "))
        return self._functions[called]

    def text(self) -> str:
        """All of it."""
        return "\n".join([_DECLARED, _PRODUCT if self.folds else "", *self.texts])


def _returned(node: ast.FunctionDef) -> int:
    for each in ast.walk(node):
        if isinstance(each, ast.Return) and each.value is not None:
            return len(each.value.elts) if isinstance(each.value, ast.Tuple) else 1
    return 0


def _type(count: int) -> str:
    """The result type of a function that returns so many numbers."""
    return ("void", "i64")[count] if count < 2 else f"{{{', '.join(['i64'] * count)}}}"


class _Function:
    """A function while it is translated. Each local variable has a place in memory, which LLVM turns into registers."""

    def __init__(self, module: Module, node: ast.FunctionDef, names: Mapping[str, Any]) -> None:
        self.module = module
        self.node = node
        self.names = names
        self.returns = _returned(node)
        self.locals = {each.arg: self._annotated(each.annotation) for each in node.args.args}
        self.parameters = list(self.locals)
        self.places: dict[str, str] = {}
        self.lines: list[str] = []
        self.count = 0
        self.loops: list[tuple[str, str]] = []
        self.ended = False
        """Whether the code after it is never reached."""

    def _annotated(self, annotation: ast.expr | None) -> _Local:
        if isinstance(annotation, ast.Name) and annotation.id not in ("int", "bool"):
            (rows,) = getattr(self.names[annotation.id], "__metadata__", (1,))
            return _Local(rows)
        return _NUMBER

    def text(self, name: str, linkage: str = "") -> str:
        """The function in LLVM's language."""
        for each in self.parameters:
            self._do(f"store i64 %{each}, ptr {self._place(each)}")
        self._block(self.node.body)
        if not self.ended:
            self._end(f"ret {_type(self.returns)}{' zeroinitializer' if self.returns else ''}")
        arguments = ", ".join(f"i64 %{each}" for each in self.parameters)
        head = f"define {linkage}{_type(self.returns)} @{name}({arguments}) nounwind {{"
        places = [f"  {place} = alloca {kind}" for place, kind in self.places.items()]
        return "\n".join([head, *places, *self.lines, "}\n"])

    # Lines

    def _place(self, name: str, kind: str = "i64") -> str:
        place = f"%{name}.v"
        self.places[place] = kind
        return place

    def _fresh(self, kind: str = "i64") -> str:
        """A place that nothing else has."""
        self.count += 1
        return self._place(f".{self.count}", kind)

    def _emit(self, what: str) -> str:
        """Add an instruction; the name of its result."""
        self.count += 1
        self.lines.append(f"  %t{self.count} = {what}")
        return f"%t{self.count}"

    def _do(self, what: str) -> None:
        self.lines.append(f"  {what}")

    def _end(self, what: str) -> None:
        """End a block, unless it has ended."""
        if not self.ended:
            self.lines.append(f"  {what}")
        self.ended = True

    def _label(self, name: str) -> None:
        """Begin a block."""
        self._end(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.ended = False

    def _labels(self, count: int) -> list[str]:
        self.count += 1
        return [f"b{self.count}.{number}" for number in range(count)]

    # Statements

    def _block(self, body: list[ast.stmt]) -> None:
        for each in body:
            if self.ended:
                return
            self._statement(each)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                found = [self._any(each) for each in values]
                for target, each in zip(targets, found, strict=True):
                    self._assign(target, *each)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for target, number in zip(targets, self._called(value), strict=True):
                    self._assign(target, number, _NUMBER)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, *self._any(value))
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                self._assign(target, self._value(ast.BinOp(ast.Name(name, ast.Load()), op, value)), _NUMBER)
            case ast.If(test=test, body=body, orelse=orelse):
                self._branch(test, lambda: self._block(body), lambda: self._block(orelse))
            case ast.While(test=test, body=body, orelse=[]):
                again, inside, behind = self._labels(3)
                self._label(again)
                self._end(f"br i1 {self._test(test)}, label %{inside}, label %{behind}")
                self._label(inside)
                self._turn(body, again, behind)
                self._end(f"br label %{again}")
                self._label(behind)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), args), body, []):
                self._counted(name, args, body)
            case ast.Return(value=value):
                self._return(value)
            case ast.Break():
                self._end(f"br label %{self.loops[-1][1]}")
            case ast.Continue():
                self._end(f"br label %{self.loops[-1][0]}")
            case ast.Expr(value=ast.IfExp(test=test, body=one, orelse=other)):
                self._branch(test, lambda: self._called(one), lambda: self._called(other))
            case ast.Expr(value=ast.Call() as call):
                self._called(call)
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring
            case _:
                raise NotImplementedError(f"not compiled: {ast.unparse(node)}")

    def _assign(self, target: ast.expr, value: str, kind: _Local) -> None:
        if isinstance(target, ast.Name):
            self.locals[target.id] = kind
            self._do(f"store i64 {value}, ptr {self._place(target.id)}")
        else:
            assert isinstance(target, ast.Subscript)
            self._do(f"store i64 {value}, ptr {self._element(target)}")

    def _turn(self, body: list[ast.stmt], again: str, behind: str) -> None:
        self.loops.append((again, behind))
        self._block(body)
        self.loops.pop()

    def _branch(self, test: ast.expr, then: Callable[[], Any], otherwise: Callable[[], Any]) -> None:
        one, other, behind = self._labels(3)
        self._end(f"br i1 {self._test(test)}, label %{one}, label %{other}")
        ended = []
        for label, body in ((one, then), (other, otherwise)):
            self._label(label)
            body()
            ended.append(self.ended)
            self._end(f"br label %{behind}")
        if not all(ended):
            self._label(behind)

    def _counted(self, name: str, args: list[ast.expr], body: list[ast.stmt]) -> None:
        values = [self._value(each) for each in args]
        if len(args) == 3 and not values[2].isdigit():
            raise NotImplementedError(f"not compiled: a range by {ast.unparse(args[2])}")
        first, last, step = (*(["0"] if len(values) == 1 else []), *values, "1")[:3]
        begin, inside, again, behind = self._labels(4)
        place = self._fresh()
        self._do(f"store i64 {first}, ptr {place}")
        self._label(begin)
        at = self._emit(f"load i64, ptr {place}")
        self._end(f"br i1 {self._emit(f'icmp slt i64 {at}, {last}')}, label %{inside}, label %{behind}")
        self._label(inside)
        self.locals[name] = _NUMBER
        self._do(f"store i64 {at}, ptr {self._place(name)}")
        self._turn(body, again, behind)
        self._label(again)
        self._do(f"store i64 {self._emit(f'add i64 {at}, {step}')}, ptr {place}")
        self._end(f"br label %{begin}")
        self._label(behind)

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self._end("ret void")
            return
        values = [self._value(each) for each in (value.elts if isinstance(value, ast.Tuple) else [value])]
        kind, found = _type(len(values)), values[0]
        if len(values) > 1:
            found = "undef"
            for number, each in enumerate(values):
                found = self._emit(f"insertvalue {kind} {found}, i64 {each}, {number}")
        self._end(f"ret {kind} {found}")

    # Values

    def _any(self, node: ast.expr) -> tuple[str, _Local]:
        """A number or the address of an array, and which it is."""
        match node:
            case ast.Name(id=name) if name in self.locals:
                return self._emit(f"load i64, ptr {self._place(name)}"), self.locals[name]
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(lower=lower)) if lower is not None:
                first = ast.Subscript(ast.Name(name, ast.Load()), lower, ast.Load())
                return self._emit(f"ptrtoint ptr {self._element(first)} to i64"), self.locals[name]
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                place = self._element(node)
                if self.locals[name] == _ARRAY or isinstance(index, ast.Tuple):
                    return self._emit(f"load i64, ptr {place}"), _NUMBER
                return self._emit(f"ptrtoint ptr {place} to i64"), _ARRAY
        return self._value(node), _NUMBER

    def _element(self, node: ast.Subscript) -> str:
        """The address of a number of an array, or of the start of a row."""
        array, kind = self._any(node.value)
        match node.slice:
            case ast.Tuple(elts=[row, column]):
                index = self._emit(f"mul i64 {self._value(row)}, {kind.rows}")
                index = self._emit(f"add i64 {index}, {self._value(column)}")
            case row if kind.rows > 1:
                index = self._emit(f"mul i64 {self._value(row)}, {kind.rows}")
            case column:
                index = self._value(column)
        return self._emit(f"getelementptr i64, ptr {self._pointer(array)}, i64 {index}")

    def _value(self, node: ast.expr) -> str:
        """A number."""
        match node:
            case ast.Constant(value=bool() | int() as value):
                return str(_wrapped(int(value)))
            case ast.Subscript():
                return self._any(node)[0]
            case ast.Name(id=name) if name in self.locals:
                return self._any(node)[0]
            case ast.Name() | ast.Attribute():
                return str(_wrapped(int(self._global(node))))
            case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod() as op, right=right):
                return self._divided(self._value(left), self._value(right), rest=isinstance(op, ast.Mod))
            case ast.BinOp(left=left, op=ast.LShift() | ast.RShift() as op, right=right):
                by = self._emit(f"and i64 {self._value(right)}, 63")
                return self._emit(f"{_SHIFTS[type(op)]} i64 {self._value(left)}, {by}")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self._emit(f"{_ARITHMETIC[type(op)]} i64 {self._value(left)}, {self._value(right)}")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._emit(f"sub i64 0, {self._value(operand)}")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._either(test, body, orelse)
            case ast.Call():
                (found,) = self._called(node)
                return found
            case ast.Compare(ops=[ast.In() | ast.NotIn() | ast.Is() | ast.IsNot(), *_]):
                raise NotImplementedError(f"not compiled: {ast.unparse(node)}")
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self._emit(f"zext i1 {self._test(node)} to i64")
        raise NotImplementedError(f"not compiled: {ast.unparse(node)}")

    def _global(self, node: ast.expr) -> Any:
        """The value of a name that is not a local one."""
        if isinstance(node, ast.Attribute):
            return getattr(self._global(node.value), node.attr)
        assert isinstance(node, ast.Name)
        return self.names[node.id] if node.id in self.names else _BUILTINS[node.id]

    def _either(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
        if not (_costs(body) or _costs(orelse)):
            found = self._test(test)
            return self._emit(f"select i1 {found}, i64 {self._value(body)}, i64 {self._value(orelse)}")
        place = self._fresh()

        def put(value: ast.expr) -> None:
            self._do(f"store i64 {self._value(value)}, ptr {place}")

        self._branch(test, lambda: put(body), lambda: put(orelse))
        return self._emit(f"load i64, ptr {place}")

    def _divided(self, left: str, right: str, *, rest: bool) -> str:
        """A quotient, rounded down, or a remainder. Callers never divide by 0."""
        minus = self._emit(f"icmp eq i64 {right}, -1")  # by which the processor does not divide the lowest number
        by = self._emit(f"select i1 {minus}, i64 1, i64 {right}")
        left = self._emit(f"select i1 {minus}, i64 {self._emit(f'sub i64 0, {left}')}, i64 {left}")
        quotient, over = (self._emit(f"{what} i64 {left}, {by}") for what in ("sdiv", "srem"))
        odd = self._emit(f"icmp ne i64 {over}, 0")
        apart = self._emit(f"icmp slt i64 {self._emit(f'xor i64 {over}, {by}')}, 0")
        less = self._emit(f"zext i1 {self._emit(f'and i1 {odd}, {apart}')} to i64")
        if rest:
            return self._emit(f"add i64 {over}, {self._emit(f'mul i64 {less}, {by}')}")
        return self._emit(f"sub i64 {quotient}, {less}")

    def _test(self, node: ast.expr) -> str:
        """A bit."""
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                found, one = "", self._value(left)
                for op, other in zip(ops, map(self._value, others), strict=True):
                    holds = self._emit(f"icmp {_COMPARISONS[type(op)]} i64 {one}, {other}")
                    found, one = self._emit(f"and i1 {found}, {holds}") if found else holds, other
                return found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._emit(f"xor i1 {self._test(operand)}, true")
            case ast.BoolOp(op=op, values=[*values, last]):
                place, (behind,) = self._fresh("i1"), self._labels(1)
                for each in values:
                    (further,) = self._labels(1)
                    found = self._test(each)
                    self._do(f"store i1 {found}, ptr {place}")
                    one, other = (further, behind) if isinstance(op, ast.And) else (behind, further)
                    self._end(f"br i1 {found}, label %{one}, label %{other}")
                    self._label(further)
                self._do(f"store i1 {self._test(last)}, ptr {place}")
                self._label(behind)
                return self._emit(f"load i1, ptr {place}")
        return self._emit(f"icmp ne i64 {self._value(node)}, 0")

    # Calls

    def _called(self, node: ast.expr) -> list[str]:
        """The numbers that a call returns."""
        if not isinstance(node, ast.Call) or node.keywords:
            raise NotImplementedError(f"not compiled: {ast.unparse(node)}")
        function = self._global(node.func)
        values = [self._any(each)[0] for each in node.args]
        if function in (min, max):
            found = values[0]
            for each in values[1:]:
                found = self._emit(f"call i64 @llvm.s{function.__name__}.i64(i64 {found}, i64 {each})")
            return [found]
        if function in _LOADS:
            return [self._load(*_LOADS[function], *values)]
        if function in _STORES:
            self._store(*_STORES[function], *values)
            return []
        if function is memory.move32:
            to, at = map(self._pointer, values)
            self._do(f"store <4 x i64> {self._emit(f'load <4 x i64>, ptr {at}, align 1')}, ptr {to}, align 1")
            return []
        if function is memory.fetch:
            for writes, at in enumerate(reversed(values)):
                self._do(f"call void @llvm.prefetch.p0(ptr {self._pointer(at)}, i32 {writes}, i32 3, i32 1)")
            return []
        if function is memory.move:
            to, at = map(self._pointer, values[:2])
            self._do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {at}, i64 {values[2]}, i1 false)")
            return []
        if function is memory.shifted:
            return [self._emit(f"lshr i64 {values[0]}, {self._emit(f'and i64 {values[1]}, 63')}")]
        if function is memory.folds:
            return [str(int(self.module.folds))]
        if function is memory.folded:
            return [self._folded(*values) if self.module.folds else "0"]  # which is never used
        name, count = self.module.function(function)
        what = f"call {_type(count)} @{name}({', '.join(f'i64 {each}' for each in values)})"
        if count == 0:
            self._do(what)
            return []
        found = self._emit(what)
        if count == 1:
            return [found]
        return [self._emit(f"extractvalue {_type(count)} {found}, {number}") for number in range(count)]

    def _pointer(self, at: str) -> str:
        return self._emit(f"inttoptr i64 {at} to ptr")

    def _load(self, bits: int, big: bool, at: str) -> str:
        found = self._emit(f"load i{bits}, ptr {self._pointer(at)}, align 1")
        if big:
            found = self._emit(f"call i{bits} @llvm.bswap.i{bits}(i{bits} {found})")
        return self._emit(f"zext i{bits} {found} to i64") if bits < 64 else found

    def _store(self, bits: int, big: bool, at: str, value: str) -> None:
        found = self._emit(f"trunc i64 {value} to i{bits}") if bits < 64 else value
        if big:
            found = self._emit(f"call i{bits} @llvm.bswap.i{bits}(i{bits} {found})")
        self._do(f"store i{bits} {found}, ptr {self._pointer(at)}, align 1")

    def _folded(self, register: str, at: str, size: str, constants: str) -> str:
        """The first block has zeros in front, and the register in it as far as there is room; the next has the rest.

        Two blocks are joined at once, as the next two need not wait for products of the first.
        """
        two = "<2 x i64>"

        def loaded(at: str) -> str:
            return self._emit(f"load {two}, ptr {self._pointer(at)}, align 1")

        def product(one: str, other: str, halves: int) -> str:
            return self._emit(f"call {two} @llvm.x86.pclmulqdq({two} {one}, {two} {other}, i8 {halves})")

        near, far, division = (loaded(self._emit(f"add i64 {constants}, {16 * number}")) for number in range(3))
        odd = self._load(64, False, self._emit(f"add i64 {constants}, 48"))
        zeros = self._emit(f"and i64 {self._emit(f'sub i64 0, {size}')}, 15")
        begun = self._emit(f"sub i64 16, {zeros}")
        bits = self._emit(f"shl i64 {begun}, 3")
        rest = self._emit(f"lshr i64 {register}, {self._emit(f'and i64 {bits}, 63')}")
        rest = self._emit(f"select i1 {self._emit(f'icmp ult i64 {bits}, 64')}, i64 {rest}, i64 0")
        block = self._emit(f"load i128, ptr {self._pointer(at)}, align 1")
        block = self._emit(f"xor i128 {block}, {self._emit(f'zext i64 {register} to i128')}")
        shift = self._emit(f"zext i64 {self._emit(f'shl i64 {zeros}, 3')} to i128")
        block = self._emit(f"bitcast i128 {self._emit(f'shl i128 {block}, {shift}')} to {two}")
        found, left, place = self._fresh(two), self._fresh(two), self._fresh()
        self._do(f"store {two} {block}, ptr {found}")
        self._do(f"store {two} {self._emit(f'insertelement {two} zeroinitializer, i64 {rest}, i32 0')}, ptr {left}")
        self._do(f"store i64 {self._emit(f'add i64 {at}, {begun}')}, ptr {place}")
        stop = self._emit(f"add i64 {at}, {size}")

        def moved(block: str, powers: str) -> str:
            return self._emit(f"xor {two} {product(block, powers, 0)}, {product(block, powers, 17)}")

        def block_at(turn: str) -> str:
            return self._emit(f"xor {two} {loaded(turn)}, {self._emit(f'load {two}, ptr {left}')}")

        def join(block: str, powers: str) -> None:
            value = moved(self._emit(f"load {two}, ptr {found}"), powers)
            self._do(f"store {two} {self._emit(f'xor {two} {value}, {block}')}, ptr {found}")

        begin, pair, single, one, behind = self._labels(5)
        self._label(begin)
        turn = self._emit(f"load i64, ptr {place}")
        second = self._emit(f"add i64 {turn}, 16")
        self._end(f"br i1 {self._emit(f'icmp slt i64 {second}, {stop}')}, label %{pair}, label %{single}")
        self._label(pair)
        join(self._emit(f"xor {two} {moved(block_at(turn), near)}, {loaded(second)}"), far)
        self._do(f"store {two} zeroinitializer, ptr {left}")
        self._do(f"store i64 {self._emit(f'add i64 {turn}, 32')}, ptr {place}")
        self._end(f"br label %{begin}")
        self._label(single)
        self._end(f"br i1 {self._emit(f'icmp slt i64 {turn}, {stop}')}, label %{one}, label %{behind}")
        self._label(one)
        join(block_at(turn), near)
        self._label(behind)
        value = self._emit(f"load {two}, ptr {found}")
        last = self._emit(f"shufflevector {two} {value}, {two} zeroinitializer, <2 x i32> <i32 1, i32 2>")
        value = self._emit(f"xor {two} {product(value, near, 16)}, {last}")
        quotient = product(value, division, 0)
        value = self._emit(f"xor {two} {value}, {product(quotient, division, 16)}")
        value, quotient = (
            self._emit(f"extractelement {two} {each}, i32 {half}") for each, half in ((value, 1), (quotient, 0))
        )
        return self._emit(f"xor i64 {value}, {self._emit(f'and i64 {quotient}, {odd}')}")


def _costs(node: ast.expr) -> bool:
    """Whether a value may only be computed when it is used."""
    return any(
        isinstance(each, ast.Call | ast.BoolOp | ast.FloorDiv | ast.Mod)
        or (isinstance(each, ast.Subscript) and not isinstance(each.slice, ast.Name))
        for each in ast.walk(node)
    )


def _wrapped(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
