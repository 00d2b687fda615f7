"""The back end for batches that is always there: each instruction is a few calls of numpy."""
