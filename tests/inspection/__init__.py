"""Records explained."""
