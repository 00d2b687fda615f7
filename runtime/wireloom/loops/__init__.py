"""Functions in a part of Python that LLVM compiles to machine code (the extra ``accel``)."""
