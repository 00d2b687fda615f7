"""Requests of Modbus RTU as the package ``pymodbus`` writes and reads them."""

from collections.abc import Iterator
from random import Random

from pymodbus.pdu import ModbusPDU
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersRequest,
    ReadInputRegistersRequest,
    WriteMultipleRegistersRequest,
    WriteSingleRegisterRequest,
)

from protocols.strangers import Capture
from protocols.strangers.modbus import ENDS, KINDS, capture, registers, some

READ = (ReadHoldingRegistersRequest, ReadInputRegistersRequest)


def captures() -> Iterator[Capture]:
    """Requests with the smallest and the largest numbers, and with all kinds of numbers to write."""
    for kind, ends in ENDS.items():
        sent: list[ModbusPDU] = [
            *(
                read(dev_id=device, address=0xFFFF * (count > 1), count=count)
                for read in READ
                for device, count in ((1, 1), (247, 125))
            ),
            WriteSingleRegisterRequest(dev_id=0, address=1, registers=[0xFFFF]),
            *(WriteMultipleRegistersRequest(dev_id=9, address=5, registers=registers(kind, [end])) for end in ends),
            WriteMultipleRegistersRequest(dev_id=9, address=5, registers=registers(kind, ends)),
        ]
        yield capture(kind, sent, kind)
    yield capture("many", [WriteMultipleRegistersRequest(dev_id=255, address=0xFFFF, registers=list(range(123)))])


def varied(random: Random) -> Iterator[Capture]:
    """Requests of every kind."""
    while True:
        kind = random.choice(tuple(KINDS))
        head = {"dev_id": random.randrange(256), "address": random.randrange(1 << 16)}
        sent = [
            random.choice(READ)(**head, count=random.randint(1, 125)),
            WriteSingleRegisterRequest(**head, registers=[random.randrange(1 << 16)]),
            WriteMultipleRegistersRequest(**head, registers=some(random, kind, 123)),
        ]
        random.shuffle(sent)
        yield capture(kind, sent, kind)
