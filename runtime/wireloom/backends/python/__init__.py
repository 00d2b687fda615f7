"""The back end for single records: programs become functions of Python."""
