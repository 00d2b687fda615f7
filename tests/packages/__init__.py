"""What is packed, what is missing without an extra, and the benchmarks."""
