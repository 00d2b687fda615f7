"""What ``memory`` does, as instructions of the processor. Importing it teaches numba to compile them."""

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils as _cgutils
from numba.core import types as _types
from numba.extending import intrinsic, overload

from wireloom.columnar import memory

cgutils: Any = _cgutils
types: Any = _types
_BYTE = ir.IntType(8).as_pointer()


def _load(bits: int, *, big: bool) -> Any:
    @intrinsic
    def load(typing: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.IntType(bits)
            value = builder.load(builder.inttoptr(arguments[0], kind.as_pointer()), align=1)
            if big and bits > 8:
                value = builder.bswap(value)
            return builder.zext(value, ir.IntType(64)) if bits < 64 else value

        return types.int64(types.int64), generate

    return load


def _store(bits: int, *, big: bool = False) -> Any:
    @intrinsic
    def store(typing: Any, at: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.IntType(bits)
            at, value = arguments
            value = builder.trunc(value, kind) if bits < 64 else value
            value = builder.bswap(value) if big else value
            builder.store(value, builder.inttoptr(at, kind.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    return store


@intrinsic
def _move32(typing: Any, to: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(ir.IntType(64), 4).as_pointer()
        to, at = (builder.inttoptr(each, kind) for each in arguments)
        builder.store(builder.load(at, align=1), to, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def _move(typing: Any, to: Any, at: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, at, count = arguments
        cgutils.raw_memcpy(builder, builder.inttoptr(to, _BYTE), builder.inttoptr(at, _BYTE), count, 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _shifted(typing: Any, register: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.lshr(*arguments)

    return types.int64(types.int64, types.int64), generate


_TWO = ir.VectorType(ir.IntType(64), 2)
_FOLDS = bool(binding.get_host_cpu_features().get("pclmul"))


@intrinsic
def _folded(typing: Any, register: Any, at: Any, blocks: Any, low: Any, high: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        register, at, blocks, low, high = arguments
        index, number, octet = (ir.IntType(bits) for bits in (32, 64, 8))
        kind = ir.FunctionType(_TWO, [_TWO, _TWO, octet])
        product = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.pclmulqdq")
        zeros = ir.Constant(_TWO, [0, 0])

        def block(at: Any) -> Any:
            return builder.load(builder.inttoptr(at, _TWO.as_pointer()), align=1)

        by = builder.insert_element(builder.insert_element(zeros, low, index(0)), high, index(1))
        begun = builder.xor(block(at), builder.insert_element(zeros, register, index(0)))
        found = cgutils.alloca_once_value(builder, begun)
        with cgutils.for_range(builder, blocks, start=number(1)) as loop:
            value = builder.load(found)
            one, other = (builder.call(product, [value, by, octet(half)]) for half in (0x00, 0x11))
            after = block(builder.add(at, builder.shl(loop.index, number(4))))
            builder.store(builder.xor(builder.xor(one, other), after), found)
        parts = [builder.extract_element(builder.load(found), index(part)) for part in (0, 1)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(types.int64, 2)(*[types.int64] * 5), generate


@intrinsic
def _unfolded(typing: Any, register: Any, at: Any, blocks: Any, low: Any, high: Any) -> Any:
    """What nobody calls where the processor has no such instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_tuple(builder, signature.return_type, arguments[3:])

    return types.UniTuple(types.int64, 2)(*[types.int64] * 5), generate


def _teach(plain: Callable[..., Any], compiled: Any) -> None:
    """Let numba compile a function of ``memory`` as another. It wants one with the same parameters."""
    match plain.__code__.co_argcount:
        case 1:
            overload(plain)(lambda at: lambda at: compiled(at))  # noqa: PLW0108
        case 2:
            overload(plain)(lambda at, value: lambda at, value: compiled(at, value))  # noqa: PLW0108
        case 3:
            overload(plain)(lambda to, at, count: lambda to, at, count: compiled(to, at, count))  # noqa: PLW0108
        case 5:
            overload(plain)(lambda a, b, c, d, e: lambda a, b, c, d, e: compiled(a, b, c, d, e))  # noqa: PLW0108


_teach(memory.u1, _load(8, big=False))
_teach(memory.u2, _load(16, big=False))
_teach(memory.u4, _load(32, big=False))
_teach(memory.i8, _load(64, big=False))
_teach(memory.u2_big, _load(16, big=True))
_teach(memory.u4_big, _load(32, big=True))
_teach(memory.i8_big, _load(64, big=True))
_teach(memory.put1, _store(8))
_teach(memory.put2, _store(16))
_teach(memory.put4, _store(32))
_teach(memory.put8, _store(64))
_teach(memory.put2_big, _store(16, big=True))
_teach(memory.put4_big, _store(32, big=True))
_teach(memory.put8_big, _store(64, big=True))
_teach(memory.move32, _move32)
_teach(memory.move, _move)
_teach(memory.shifted, _shifted)


overload(memory.folds)(lambda: lambda: _FOLDS)
_teach(memory.folded, _folded if _FOLDS else _unfolded)
