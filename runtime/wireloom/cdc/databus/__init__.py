"""Following a stream of Databus by what ``databus`` decodes: its windows, its checkpoints, the latest state by key."""

from wireloom.cdc.databus.checkpoints import checkpoints
from wireloom.cdc.databus.conversion import to_v1
from wireloom.cdc.databus.events import COLUMNS
from wireloom.cdc.databus.upserts import KEY, upserts
from wireloom.cdc.databus.windows import Windows, windows

__all__ = ["COLUMNS", "KEY", "Windows", "checkpoints", "to_v1", "upserts", "windows"]
