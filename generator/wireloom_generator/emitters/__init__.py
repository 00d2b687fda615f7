"""IR → files: one module an output, each a function from a protocol to its text. No emitter imports another."""
