"""What connections agreed on."""

from wireloom.cdc.couchbase.frames import Batches, each_batch

_FEATURE = "Collections"


def collections(frames: Batches) -> bool | None:
    """Whether keys have a collection in front: the parameter ``collections`` for the connections in ``frames``.

    It is what the responses to Hello grant; None if there is none, or if some connections have collections and others
    do not. ``frames`` have the column ``hello_response``, with labels; no key is looked at.

    Raises ``ValueError`` if the frames have no such column.
    """
    granted: set[bool] = set()
    for batch in each_batch(frames):
        if "hello_response" not in batch.schema.names:
            raise ValueError("the frames have no column hello_response, which says what connections agreed on")
        for response in batch.column("hello_response").drop_null().to_pylist():
            if response["variant"] == "success":
                granted.add(_FEATURE in [feature["feature_name"] for feature in response["features"]])
    return granted.pop() if len(granted) == 1 else None
