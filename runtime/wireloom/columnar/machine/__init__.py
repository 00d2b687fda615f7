"""Columns filled by compiled loops that follow programs, which messages become. A program that pays gets its own."""
