"""What consumers of tables do with each Arrow type of ours, found by running them."""
