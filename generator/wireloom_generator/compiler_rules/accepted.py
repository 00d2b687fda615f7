"""What is accepted is there, and has a reason.

A spec accepts a warning beside what it is about, under ``accept``, and a file of accepted findings lets a breaking
change through on purpose. An entry that accepts nothing any longer would let the next such finding through by accident,
and one without a reason tells nobody whether it still holds. Errors cannot be accepted.

Bad::

    accept:
      - rule: field-renamed
        element: ping.echo.payload
        reason: ""

Good::

    accept:
      - rule: field-renamed
        element: ping.echo.payload
        reason: Version 1 was never deployed.
"""
