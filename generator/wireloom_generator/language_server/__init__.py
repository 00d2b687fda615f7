"""What editors ask about specs: problems, completion, descriptions, names and where they are used.

``server`` speaks the Language Server Protocol; all other modules know nothing of it, and answer for a place in a text.
"""
