"""The back end for batches by machine code: an interpreter of programs, and loops for programs that pay."""
