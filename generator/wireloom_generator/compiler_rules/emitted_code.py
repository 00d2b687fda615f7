"""Generated Python holds nothing but what the emitters write.

Whoever checks a spec runs the code that is made of it, to see whether its examples are right; whoever checks somebody
else's pull request does, too. So no text of a spec, and no name of a folder, may become code. What comes from them is
escaped, and before any of it is run, generated code is held against a closed list: known imports, assignments of known
calls, constants, lambdas in the language of expressions. No spec can cause this: it is a mistake in the compiler, which
is to be reported with the spec that shows it.

Bad::

    # parsers.py
    title = open("/etc/passwd").read()

Good::

    # parsers.py
    RECORD = Record("kind" / Int8ub, Slot("body", Rest()))
"""
