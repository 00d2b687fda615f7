"""There is something to compile where one is told to look.

A check that finds no file has checked nothing; in CI it would pass for ever. Give the folder of a protocol, or the
folder that has those of several.

Bad::

    wireloom check specs/ping/examples      # no *.yaml there

Good::

    wireloom check specs/ping
"""
