"""Texts that code must spell with care."""

STRANGE = ['"', "'", "\\", "\\n", "\n", "\r", "\t", "\0", "\x7f", "\x85", "\u2028", '"""', '" or f(1) or "', "é"]
