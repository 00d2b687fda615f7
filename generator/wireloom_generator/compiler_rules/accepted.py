"""What is accepted is there, and has a reason.

A file of accepted findings lets a breaking change through on purpose. An entry that accepts nothing any longer would
let the next such change through by accident, and one without a reason tells nobody whether it still holds.

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
