"""A loop specialised for one program, which holds a record in the processor's registers.

Each instruction is inlined: the source of the interpreter's ``step``, with the instruction's constants in place of
names, so that no dispatch is left. Registers, outputs and amounts become variables: ``r4`` is register 4, ``o2`` the
address of output 2, ``w2_0`` and ``w2_1`` are how much of it is written. A variable that begins with ``its_`` is an
element of an array over all rows.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wireloom.buffers import Array
from wireloom.loops import llvm_codegen
from wireloom.programs import opcodes as op
from wireloom.programs.write_opcodes import JUDGING

LOADED = ast.Load()
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


_NUMBERS = frozenset(("safe", "end"))
"""The arguments of ``step`` that the code for one row has, too; all others are about all rows."""


class _Marked(str):
    """An argument of ``step`` that is an array about all rows, and so is gone."""


class _Register(int):
    """A register by its number: all its rows are one variable."""


_Body = Iterable[ast.stmt]
UNSOUND = "unsound"
"""What a frame has in place of this name: what is done with a row that is not sound."""
_UNSOUND = ast.Expr(ast.Name(UNSOUND, LOADED))


class Fused:
    """The statements that a program is, for one row, and the variables in them."""

    def __init__(self, code: Array, step: llvm_codegen.Function) -> None:
        self.code = [tuple(row) for row in code.tolist()]
        self.step = step
        self.parameters = {each.arg for each in llvm_codegen.parsed(step).args.args} - _NUMBERS
        self.outputs: set[int] = set()
        self.amounts: set[tuple[int, int]] = set()
        self.body = list(self._instructions(0, len(self.code)))

    def _instructions(self, at: int, end: int, unsound: ast.stmt = _UNSOUND) -> Iterator[ast.stmt]:
        """The statements of some instructions; ``unsound`` is what is done where the row is not sound."""
        while at < end:
            kind, *numbers = code = self.code[at]
            at += 1
            if kind == op.SKIP:
                test = ast.Compare(self.register(numbers[0]), [ast.NotEq()], [ast.Constant(0)])
                behind = at + numbers[1]
                last, *others = self.code[behind - 1]
                if last == op.REPEAT and others[1] == numbers[1] - 1:
                    yield ast.While(test, list(self._instructions(at, behind - 1, ast.Break())), [])
                    yield self._judged(unsound)
                else:
                    yield ast.If(test, list(self._instructions(at, behind, unsound)), [])
                at = behind
            else:
                known = {**{name: _Marked(name) for name in self.parameters}, "kind": kind, "code": code}
                yield from _Inlined(self, self.step, known).statements(llvm_codegen.parsed(self.step).body)
                if kind in JUDGING:
                    yield self._judged(unsound)

    def _judged(self, unsound: ast.stmt) -> ast.If:
        return ast.If(ast.Compare(self.register(op.SOUND), [ast.Eq()], [ast.Constant(0)]), [unsound], [])

    def register(self, number: int, ctx: ast.expr_context = LOADED) -> ast.Name:
        """The variable for a register."""
        return ast.Name(f"r{number}", ctx)

    def output(self, number: int) -> ast.Name:
        """The variable for the address of an output."""
        self.outputs.add(number)
        return ast.Name(f"o{number}", LOADED)

    def amount(self, number: int, part: int, ctx: ast.expr_context) -> ast.Name:
        """The variable for how much of an output is written."""
        self.amounts.add((number, part))
        return ast.Name(f"w{number}_{part}", ctx)


class _Inlined:
    """A call in which some of the arguments are ``known``."""

    def __init__(self, fused: Fused, called: llvm_codegen.Function, known: dict[str, Any]) -> None:
        self.fused = fused
        self.names = called.__globals__
        self.known = known
        self.returned = False
        self.depth = 0
        """How many ``if`` are around, of those that rows decide."""

    def statements(self, body: _Body, *, in_row: bool = False) -> Iterator[ast.stmt]:
        """What is left of statements; those ``in_row`` are about one row."""
        for each in body:
            if self.returned:
                return
            match each:
                case ast.If(test=test, body=then, orelse=orelse):
                    found = self.value(test)
                    if isinstance(found, ast.Constant):
                        yield from self.statements(then if found.value else orelse, in_row=in_row)
                    else:
                        self.depth += 1
                        parts = [list(self.statements(part, in_row=in_row)) for part in (then, orelse)]
                        self.depth -= 1
                        yield ast.If(found, *parts)
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if not in_row:
                    for target, value in zip(targets, values, strict=True):
                        yield from self._assigned(target, self.value(value))
                case ast.Assign(targets=[target], value=value) if not in_row:
                    yield from self._assigned(target, self.value(value))
                case ast.For(target=target, iter=ast.Call(args=[count]), body=inner, orelse=[]) if self._marked(count):
                    yield from self.statements(inner, in_row=True)
                case ast.For(target=target, iter=counted, body=inner, orelse=[]):
                    yield ast.For(target, self.value(counted), list(self.statements(inner, in_row=in_row)), [])
                case ast.While(test=test, body=inner, orelse=[]):
                    yield ast.While(self.value(test), list(self.statements(inner, in_row=in_row)), [])
                case ast.Expr(value=ast.Call() as call) if (put := self._inlined(call)) is not None:
                    yield from put
                case ast.Return() if not in_row and self.depth == 0:
                    self.returned = True
                case ast.Return() | ast.For() | ast.While():
                    raise NotImplementedError(f"not fused: {ast.unparse(each)}")
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    yield self._rebuilt(each)

    def _marked(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and isinstance(self.known.get(node.id), _Marked)

    def _assigned(self, target: ast.expr, value: Any) -> Iterator[ast.stmt]:
        """An assignment, unless the name stands for what is the same in all rows."""
        same = not isinstance(value, ast.expr) or isinstance(value, ast.Constant) or _is_output(value)
        if isinstance(target, ast.Name) and same:
            self.known[target.id] = value
        else:
            assert not isinstance(target, ast.Name) or target.id not in self.known, target.id
            yield ast.Assign([self.value(target)], value)

    def _inlined(self, call: ast.Call) -> list[ast.stmt] | None:
        """A call of a function that is about all rows."""
        called = self._global(call.func)
        values = [self.value(each) for each in call.args]
        if all(isinstance(each, ast.expr) for each in values):
            return None
        node = llvm_codegen.parsed(called)
        known = dict(zip((each.arg for each in node.args.args), values, strict=True))
        return list(_Inlined(self.fused, called, known).statements(node.body))

    def _global(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute):
            return getattr(self._global(node.value), node.attr)
        assert isinstance(node, ast.Name)
        return self.names.get(node.id)

    def value(self, node: ast.expr) -> Any:
        """What is left of an expression; something else if that is about all rows."""
        match node:
            case ast.Name(id=name):
                found = self.known.get(name, node)
                return ast.Constant(found) if type(found) is int else found
            case ast.Attribute():
                return ast.Constant(self._global(node))
            case ast.Subscript(value=array, slice=index, ctx=ctx):
                return self._element(self.value(array), self.value(index), ctx)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                found = self.value(test)
                if isinstance(found, ast.Constant):
                    return self.value(body if found.value else orelse)
                return ast.IfExp(found, self.value(body), self.value(orelse))
            case ast.BinOp(left=left, op=kind, right=right):
                one, other = self.value(left), self.value(right)
                return _folded(type(kind), one, other) or ast.BinOp(one, kind, other)
            case ast.Compare(left=left, ops=[kind], comparators=[right]):
                one, other = self.value(left), self.value(right)
                return _folded(type(kind), one, other) or ast.Compare(one, [kind], [other])
        return self._rebuilt(node)

    def _element(self, array: Any, index: Any, ctx: ast.expr_context) -> Any:
        if isinstance(array, tuple):
            return ast.Constant(array[index.value])
        if isinstance(array, _Register):
            return self.fused.register(array, ctx)
        assert isinstance(array, _Marked), array
        match array, index:
            case "registers", ast.Tuple(elts=[ast.Constant(value=int() as number), _]):
                return self.fused.register(number, ctx)
            case "registers", ast.Constant(value=int() as number):
                return _Register(number)
            case "out", ast.Constant(value=int() as number):
                return self.fused.output(number)
            case "written", ast.Tuple(elts=[ast.Constant(value=int() as number), ast.Constant(value=int() as part)]):
                return self.fused.amount(number, part, ctx)
        return ast.Name(f"its_{array}", ctx)

    def _rebuilt(self, node: Any) -> Any:
        """The same with what is known in its parts."""
        parts: dict[str, Any] = {}
        for name, part in ast.iter_fields(node):
            if isinstance(part, list):
                parts[name] = [self.value(each) if isinstance(each, ast.expr) else each for each in part]
            else:
                parts[name] = self.value(part) if isinstance(part, ast.expr) and name != "func" else part
        return type(node)(**parts)


def _folded(kind: type[ast.AST], one: Any, other: Any) -> ast.Constant | None:
    """What is known of an operation."""
    if kind in _OPERATORS and isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        return ast.Constant(int(_OPERATORS[kind](one.value, other.value)))
    return None


def _is_output(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id[0] == "o" and value.id[1:].isdigit()


def framed(frame: str, parts: Mapping[str, _Body]) -> ast.FunctionDef:
    """The function of a frame, with statements in place of names that stand alone in its lines."""

    def put(body: _Body) -> Iterator[ast.stmt]:
        for each in body:
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Name):
                yield from put(parts[each.value.id])
                continue
            for name in ("body", "orelse"):
                if hasattr(each, name):
                    setattr(each, name, list(put(getattr(each, name))))
            yield each

    (found,) = ast.parse(frame).body
    assert isinstance(found, ast.FunctionDef)
    own = _assigned([found]) | {each.arg for each in found.args.args}
    taken = own & _assigned(parts["body"])
    assert not taken, taken
    found.body = list(put(found.body))
    return found


def _assigned(body: _Body) -> set[str]:
    """The names that statements assign to."""
    names = (each for part in body for each in ast.walk(part) if isinstance(each, ast.Name))
    stored = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return {name for name in stored if not name[1:].isdigit()}
