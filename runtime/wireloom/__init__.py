"""Wireloom weaves wire bytes into tables: what generated protocol code calls and what users import."""
