"""Back ends: what executes programs. They know instructions, not layouts.

``python`` makes a function of a program, for single records; ``numpy`` and ``llvm`` execute programs for batches.
"""
