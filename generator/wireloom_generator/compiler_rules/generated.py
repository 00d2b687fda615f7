"""Generated files are what the specs give, none is missing, and none is left over.

They are checked in so that a review sees what a change to a spec does to parsers and tables; this holds only while
nobody edits them and nobody forgets them. ``wireloom generate --check`` tells a file that is to be added or was edited,
one that no spec gives any longer (orphaned), one that was not generated but stands among those that were (foreign), and
one that git does not have (untracked).

Bad::

    $EDITOR generated/ping/parsers.py

Good::

    $EDITOR specs/ping/protocol.yaml
    wireloom generate
    git add specs generated
"""
