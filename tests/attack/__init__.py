"""Attacks: hostile inputs by kind, and what must hold of them whatever they are. ``fuzz.py`` makes up more of them."""
