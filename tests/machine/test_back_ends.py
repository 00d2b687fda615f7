"""Back ends follow the same instructions: each has all of them, and gives the same rows and bytes."""
