"""Analyses of a model: which names an expression sees, where nodes are, and which values they can have."""
