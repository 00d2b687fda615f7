"""The protocols that are shipped and the examples, held against other implementations of them."""
