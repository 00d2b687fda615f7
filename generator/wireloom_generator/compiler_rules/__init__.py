"""What the compiler itself finds, before the rules can look at a spec or after they have: one docstring a module.

``source``, ``shape`` and ``spec`` find these while they load files, ``generate`` and ``lockstep`` in what they make,
``compat`` in the file of what is accepted. A module here has nothing but the text that ``wireloom explain`` shows,
shaped as those of ``rules`` are.
"""
