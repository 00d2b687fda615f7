"""The allow-list for emitted Python. Every module is checked against it before it is run.

Emitters escape everything that comes from a spec or a path. This check is a second line of defence: if escaping fails,
the module contains something that is not on the list, and the compiler reports an error instead of running it.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wireloom_generator import blocks, naming, output
from wireloom_generator.emitters import columnar, package, spark
from wireloom_generator.output import OutputFile

_CALLED = frozenset({"pyspark.sql.types", "wireloom.codec"})
"""The modules whose names may be called once they are imported."""

RULE = "emitted-code"


@dataclass(frozen=True, slots=True)
class _Module:
    """The imports of a module, apart from its siblings, and the code in it that is the same for every protocol.

    ``texts`` is the name of a mapping of texts to texts.
    """

    imports: Mapping[str, frozenset[str]] = field(default_factory=dict)
    siblings: frozenset[str] = frozenset()
    same: str = ""
    texts: str = ""


_MODULES = {
    "__init__": _Module(
        {
            "importlib": frozenset({"import_module"}),
            "typing": frozenset({"Any"}),
            "wireloom.extras": frozenset({"available", "needed"}),
        },
        siblings=frozenset({"enums", "parsers"}),
        same=package.LAZY,
    ),
    "enums": _Module({"wireloom.codec": frozenset({"WireEnum", "WireFlags"})}),
    "parsers": _Module({"wireloom.codec": blocks.BLOCKS}, siblings=frozenset({"enums"})),
    "spark": _Module({"pyspark.sql.types": spark.NAMES}),
    "columnar": _Module(same=columnar.MODULE, texts=columnar.COMMENTS),
}


class ForeignCodeError(Exception):
    """An emitted module contains code that no emitter writes."""


def admit(file: OutputFile) -> None:
    """Check an emitted module against the list. Raises ``ForeignCodeError``."""
    check = _Check(_MODULES[file.path.stem])
    try:
        for statement in output.tree(file.text).body:
            if not check.admits(statement):
                found = ast.unparse(statement).partition("\n")[0][:100]
                raise ForeignCodeError(f"{file.path.name} contains code that no emitter writes: {found!r}")
        if not check.later <= check.known:
            raise ForeignCodeError(f"{file.path.name} returns what it does not assign")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ForeignCodeError(f"{file.path.name} cannot be read: {error}") from None


class _Check:
    """Reads a module from top to bottom. Names may be used after they were imported or assigned."""

    def __init__(self, module: _Module) -> None:
        self.module = module
        same = output.tree(module.same)
        self.same = {ast.dump(node) for node in same.body}
        given = {node.arg for node in ast.walk(same) if isinstance(node, ast.arg)}
        self.asked = {node.id for node in ast.walk(same) if isinstance(node, ast.Name)} - given
        """The names that this code uses, apart from its functions' arguments; nothing else may assign them."""
        self.known: set[str] = set()
        self.later: set[str] = set()
        """The names that functions return, which are assigned somewhere in the module."""
        self.called: set[str] = set()

    def admits(self, node: ast.stmt) -> bool:
        """Whether a statement is one that emitters write."""
        if self.same and ast.dump(node) in self.same:
            return True
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return True
            case ast.ImportFrom(module=str() as module, names=names, level=level):
                return self._imports(module, names, level)
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names)):
                return all(isinstance(name, ast.Constant) for name in names)
            case ast.Assign(targets=[ast.Name(id=self.module.texts)], value=ast.Dict(keys=keys, values=values)):
                return all(map(_is_text, (*keys, *values)))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                admitted = self._free(name) and self._value(value)
                self.known.add(name)
                return admitted
            case ast.ClassDef():
                return self._class(node)
        return False

    def _free(self, name: str) -> bool:
        taken = self.called | self.asked | {"float"}
        return not name.startswith("_") and name not in taken

    def _imports(self, module: str, names: list[ast.alias], level: int) -> bool:
        if any(alias.asname or alias.name.startswith("_") for alias in names):
            return False
        found = {alias.name for alias in names}
        if level == 1 and module in self.module.siblings:
            self.known |= found
            return "*" not in found and not found & self.asked
        if level:
            return False
        if module == "construct" and "wireloom.codec" in self.module.imports:
            self.called |= found
            return all(blocks.NUMBER.fullmatch(name) for name in found)
        if module in _CALLED:
            self.called |= found
        return found <= self.module.imports.get(module, frozenset())

    def _class(self, node: ast.ClassDef) -> bool:
        """An enum: a docstring, numbers, and perhaps its table of ranges."""
        match node:
            case ast.ClassDef(
                bases=[ast.Name(id=base)],
                keywords=[],
                decorator_list=[],
                body=[ast.Expr(value=ast.Constant(value=str())), *body],
            ):
                admitted = self._free(node.name) and base in self.called & {"WireEnum", "WireFlags"}
                self.known.add(node.name)
                return admitted and not getattr(node, "type_params", ()) and all(map(_member, body))
        return False

    def _value(self, node: ast.expr) -> bool:
        """Whether it consists of constants, names, and allowed calls."""
        match node:
            case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                return True
            case ast.Name(id=name):
                return name in self.known | self.called or name == "__package__"
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return all(map(self._value, items))
            case ast.Dict(keys=keys, values=values):
                return all(isinstance(key, ast.Constant) for key in keys) and all(map(self._value, values))
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Div(), right=right):
                return self._value(right)
            case ast.Attribute(value=ast.Name(id="PROTOCOL"), attr=name):
                return name in package.API
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant()], keywords=[]):
                return True
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                if arguments and isinstance(arguments[0], ast.Lambda):
                    if not self._function(name, arguments[0]):
                        return False
                    arguments = arguments[1:]
                given = [*arguments, *(keyword.value for keyword in keywords)]
                named = all(keyword.arg for keyword in keywords)
                return name in self.called and named and all(map(self._value, given))
        return False

    def _function(self, called: str, function: ast.Lambda) -> bool:
        """Whether it is a function of recursive types: what makes a level of one, or where the deepest level is."""
        match called, function.body, function.args.args:
            case "Deeper", ast.Name(id=name), []:
                self.later.add(name)
                return ast.dump(function.args) == ast.dump(_arguments([]))
            case "recursive", ast.Call(func=ast.Name(id="Layout")) as body, [ast.arg(arg=name)]:
                self.known.add(name)
                return (
                    ast.dump(function.args) == ast.dump(_arguments([name])) and self._free(name) and self._value(body)
                )
        return False


def _arguments(names: Iterable[str]) -> ast.arguments:
    """The arguments of a function without defaults."""
    found = [ast.arg(arg=name) for name in names]
    return ast.arguments(posonlyargs=[], args=found, kwonlyargs=[], kw_defaults=[], defaults=[])


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is str


def _number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int


_RANGES = ast.dump(
    ast.parse("@classmethod\ndef ranges(cls) -> tuple[tuple[int, int, str], ...]:\n    return ()").body[0]
)


def _member(node: ast.stmt) -> bool:
    """A name with its number and perhaps a label, or the table of ranges."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            given = value.elts if isinstance(value, ast.Tuple) else [value]
            admitted = naming.word_fault(name) is None and naming.member(name) == name
            return admitted and 1 <= len(given) <= 2 and _number(given[0]) and all(map(_is_text, given[1:]))
        case ast.FunctionDef(body=[ast.Return(value=ast.Tuple(elts=rows)) as returned]):
            table, returned.value = returned.value, ast.Tuple([], ast.Load())
            admitted = ast.dump(node) == _RANGES
            returned.value = table
            return admitted and all(map(_row, rows))
    return False


def _row(node: ast.expr) -> bool:
    match node:
        case ast.Tuple(elts=[first, last, ast.Constant(value=str())]):
            return _number(first) and _number(last)
    return False
