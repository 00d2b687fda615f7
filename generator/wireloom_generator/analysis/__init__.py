"""Questions about a model: which names an expression sees, where things are, and which values they can have."""
