"""What a BMC keeps for others to read: sensor records and an event log.

There is one sensor record, of the BMC itself, and no event: ipmitool takes a repository without any
record for a broken one, and sets out to build it.
"""

from __future__ import annotations

from typing import Final

from ingot.lab.bmc.ipmi.request import Completion, Reply

__all__ = ["EVENT_LOG", "RESERVATION", "SENSOR_REPOSITORY", "sensor_record"]

_VERSION: Final = 0x51
_MUCH_SPACE: Final = b"\xff\xff"
_NEVER: Final = bytes(4)
_LAST: Final = b"\xff\xff"
_FIRST_RECORDS: Final = (b"\0\0", b"\1\0")
_WHOLE: Final = 0xFF

_LOCATOR: Final = bytes(
    [
        0x20,  # the BMC's address
        0x00,  # on channel 0
        0x00,  # says nothing when power comes and goes
        0x86,  # it is a chassis device, with an event log and a sensor repository
        *bytes(3),
        0x07,  # on the system board
        0x01,
        0x00,
        0xC3,  # three letters
        *b"BMC",
    ]
)
_RECORD: Final = bytes([1, 0, _VERSION, 0x12, len(_LOCATOR)]) + _LOCATOR
"""A record of the kind that tells where a management controller is."""


def _store(records: int) -> Reply:
    supports_reserving = b"\x02"
    counted = bytes([_VERSION, records, 0])
    return Reply(data=counted + _MUCH_SPACE + _NEVER + _NEVER + supports_reserving)


SENSOR_REPOSITORY: Final = _store(1)
EVENT_LOG: Final = _store(0)
RESERVATION: Final = Reply(data=b"\1\0")


def sensor_record(data: bytes) -> Reply:
    """Return a part of a sensor record: reservation, number, where it begins, how much."""
    number, begin, length = data[2:4], data[4], data[5]
    if number not in _FIRST_RECORDS or begin > len(_RECORD):
        return Reply(Completion.NOT_PRESENT)
    end = len(_RECORD) if length == _WHOLE else begin + length
    return Reply(data=_LAST + _RECORD[begin:end])
