"""Responses of Modbus RTU as the package ``pymodbus`` writes and reads them."""

from collections.abc import Iterator
from random import Random

from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import (
    ReadHoldingRegistersResponse,
    ReadInputRegistersResponse,
    WriteMultipleRegistersResponse,
    WriteSingleRegisterResponse,
)

from protocols.strangers import Capture
from protocols.strangers.modbus import ENDS, KINDS, capture, registers, some

READ = (ReadHoldingRegistersResponse, ReadInputRegistersResponse)


def captures() -> Iterator[Capture]:
    """Responses with the ends of all kinds of numbers, with none and with as many as there can be, and exceptions."""
    for kind, ends in ENDS.items():
        sent: list[ModbusPDU] = [
            *(read(dev_id=17, registers=registers(kind, [end])) for read in READ for end in ends),
            *(read(dev_id=0, registers=registers(kind, ends)) for read in READ),
        ]
        yield capture(kind, sent, kind)
    yield capture("none and many", [READ[0](dev_id=1, registers=each) for each in ([], list(range(125)))])
    yield capture(
        "written", [WriteMultipleRegistersResponse(dev_id=1, address=0xFFFF, count=each) for each in (1, 123)]
    )
    yield capture("one written", [WriteSingleRegisterResponse(dev_id=255, address=0, registers=[0xFFFF])])
    codes = (0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 255)
    yield capture("exceptions", [ExceptionResponse(each, code, device_id=1) for each in (3, 16, 127) for code in codes])


def varied(random: Random) -> Iterator[Capture]:
    """Responses of every kind."""
    while True:
        kind = random.choice(tuple(KINDS))
        device = random.randrange(256)
        head = {"dev_id": device, "address": random.randrange(1 << 16)}
        sent = [
            random.choice(READ)(dev_id=device, registers=some(random, kind, 125)),
            WriteSingleRegisterResponse(**head, registers=[random.randrange(1 << 16)]),
            WriteMultipleRegistersResponse(**head, count=random.randint(1, 123)),
            ExceptionResponse(random.randint(1, 127), random.randrange(256), device_id=device),
        ]
        random.shuffle(sent)
        yield capture(kind, sent, kind)
