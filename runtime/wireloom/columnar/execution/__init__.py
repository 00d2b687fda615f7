"""Programs executed for batches: what they need in memory, what they reject, and the columns they fill."""
