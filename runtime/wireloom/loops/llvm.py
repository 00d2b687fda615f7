"""LLVM, by llvmlite (the extra ``accel``): machine code of what ``native`` translates."""

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from llvmlite import binding

from wireloom.loops.llvm_codegen import Module


def code(name: str, node: ast.FunctionDef, names: Mapping[str, Any], *, vectorized: bool) -> bytes:
    """The machine code of a function under that name; ``names`` are those that it does not say itself.

    Loops over arrays may be ``vectorized``; it takes time to see whether they can.
    """
    _, features = processor()
    module = Module.of(name, node, names, folds="+pclmul" in features.split(","))
    read = binding.parse_assembly(module.text())
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = vectorized
    options.slp_vectorization = False
    builder = binding.create_pass_builder(_machine(), options)
    builder.getModulePassManager().run(read, builder)
    found: bytes = _machine().emit_object(read)
    return found


@cache
def processor() -> tuple[str, str]:
    """What code is made for."""
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@cache
def _machine() -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    cpu, features = processor()
    return target.create_target_machine(cpu=cpu, features=features, opt=2, codemodel="jitdefault", jit=True)


@cache
def _engine() -> Any:
    return binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())


def address(name: str, machine_code: bytes) -> int:
    """Where the function of a module begins once its machine code is loaded."""
    _engine().add_object_file(binding.ObjectFileRef.from_data(machine_code))
    _engine().finalize_object()
    found: int = _engine().get_function_address(name)
    return found
