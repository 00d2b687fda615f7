"""Values as the codec, Arrow and Spark all have them, so that they can be compared."""

from datetime import datetime
from decimal import Decimal
from typing import Any


def plain(value: Any, *, local: bool = False) -> Any:
    """The value with bytes, integers, dicts and lists; ``local`` times are without a zone, in that of this machine, as
    in Spark's rows.
    """
    match value:
        case datetime() if local and value.tzinfo is not None:
            return value.astimezone().replace(tzinfo=None)
        case Decimal():
            return int(value)
        case bytearray():
            return bytes(value)
        case list():
            return [plain(item, local=local) for item in value]
        case dict():
            return {name: plain(item, local=local) for name, item in value.items()}
    return value
