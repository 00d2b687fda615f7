"""The protocols that come with Wireloom, one generated package each."""
