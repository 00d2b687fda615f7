"""What is asked of a model: who sees whom, where things stand, how large they are, which values they can have."""
