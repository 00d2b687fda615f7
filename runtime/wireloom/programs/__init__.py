"""Layouts as programs: instructions that read and write records, which back ends follow."""
