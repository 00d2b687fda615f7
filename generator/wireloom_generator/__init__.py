"""The compiler: specs written in YAML become parsers, table schemas, dissectors and documentation.

Its stages: source → syntax → model → rules → emitters. ``check`` and ``generate`` run them.
"""

from wireloom_generator.generate import Generation, check, generate
from wireloom_generator.on_disk import FileChange, FileChangeKind
from wireloom_generator.problems import Location, Problem, Severity

__all__ = ["FileChange", "FileChangeKind", "Generation", "Location", "Problem", "Severity", "check", "generate"]
