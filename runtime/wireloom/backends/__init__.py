"""Back ends: what executes programs, for single records."""
