"""Expressions: what they are worth, between which numbers they lie, and what is known of them."""
