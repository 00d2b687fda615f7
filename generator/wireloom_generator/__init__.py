"""The compiler: specs written in YAML become parsers, table schemas, columnar decoders and documentation.

The row of its stages: source → syntax → rules → resolve → model → emitters. ``check`` and ``generate`` run them.
"""

from wireloom_generator.generate import FileChange, FileChangeKind, Generation, check, generate
from wireloom_generator.problems import Location, Problem, Severity

__all__ = ["FileChange", "FileChangeKind", "Generation", "Location", "Problem", "Severity", "check", "generate"]
