"""Model → the Python that generated modules consist of."""
