"""Breaking changes between two versions of a spec: ``compare`` pairs the two, and ``rules`` check them."""
