"""What follows programs."""
