"""Change data capture: from the frames or events of a session to the state of documents and rows. One package per
protocol.

The packages use messages and fields by name, never bytes.
"""
