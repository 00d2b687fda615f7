"""Change data capture: what a session of frames or events means to somebody who follows it. One package a protocol.

They know messages and fields by their names, and no bytes.
"""
