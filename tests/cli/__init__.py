"""The program ``wireloom``."""
