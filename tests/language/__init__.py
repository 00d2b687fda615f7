"""The language: what a spec may say, and what the compiler answers when it is wrong."""
