"""The compiler: what it writes, how it tells of problems, and that nothing else gets into what it writes."""
