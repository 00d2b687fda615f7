"""Breaking changes between two versions of a spec: ``compare`` pairs the two, ``compat_rules`` judge."""
