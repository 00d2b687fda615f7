"""Programs, and the loops that follow them."""
