"""What rules ask of a spec: who sees whom, where things stand, how large they are, which values they can have."""
