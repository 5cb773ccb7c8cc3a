"""What a BMC does for those who are logged in: the table of all commands it knows.

Chosen by what ipmitool sends for the commands that people and Ironic use. Anything else gets the
completion code for an unknown command, with which ipmitool ends at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ingot.errors import IngotError
from ingot.lab.bmc.ipmi.bootflags import BootFlags, UnknownBootDevice, flags_of, tell
from ingot.lab.bmc.ipmi.presession import wire_guid
from ingot.lab.bmc.ipmi.request import Completion, Function, Privilege, Reply, Request
from ingot.lab.bmc.ipmi.stores import EVENT_LOG, RESERVATION, SENSOR_REPOSITORY, sensor_record
from ingot.lab.chassis import Chassis, PowerAction, PowerActionRefused
from ingot.machine.model import Power

__all__ = ["Commands"]

_LOG = logging.getLogger(__name__)

_ACTIONS: Final = (
    PowerAction.FORCE_OFF,
    PowerAction.ON,
    PowerAction.POWER_CYCLE,
    PowerAction.FORCE_RESTART,
    PowerAction.NMI,
    PowerAction.GRACEFUL_SHUTDOWN,
)
"""By the number that Chassis Control has for them (table 28-4)."""

_PARAMETER_LENGTHS: Final = (1, 1, 1, 1, 2, 5, 9, 9)
"""How many bytes a boot option has, by its number (table 28-14)."""

_BOOT_FLAGS: Final = 5
_PARAMETER_VERSION: Final = 1
_MARKED_INVALID: Final = 0x80
_SET_IN_PROGRESS: Final = 0
_COMMIT: Final = b"\x02"

_IDENTIFY_SUPPORTED: Final = 0x40
_IDENTIFY_ON: Final = 0x20
_IDENTIFY_SECONDS: Final = 15
_FOR_GOOD: Final = 0x01

_DEVICE_ID: Final = bytes(
    [
        0x20,  # device
        0x01,  # revision
        0x01,  # firmware 1.0, in normal operation
        0x00,
        0x02,  # IPMI 2.0
        0x86,  # it is a chassis device, with an event log and a sensor repository
        0xF2,  # the IPMI forum's number, 7154, stands for nobody in particular
        0x1B,
        0x00,
        0x01,  # product
        0x00,
    ]
)
_SELF_TEST_PASSED: Final = bytes([0x55, 0x00])


class Commands:
    """The commands of one host's BMC.

    Attributes:
        chassis: the host.
        reset: starts the BMC over.
        parameters: boot options that are kept for nobody but their reader, by number.
    """

    def __init__(self, chassis: Chassis, *, reset: Callable[[], None]) -> None:
        self.chassis = chassis
        self.reset = reset
        self.parameters: dict[int, bytes] = {}

    def execute(self, request: Request, *, privilege: Privilege) -> Reply:
        """Do what is asked, if the privilege is enough for it."""
        known = _TABLE.get((request.function, request.command))
        if known is None:
            return Reply(Completion.INVALID_COMMAND)
        if privilege < known.privilege:
            return Reply(Completion.INSUFFICIENT_PRIVILEGE)
        if len(request.data) < known.least:
            return Reply(Completion.WRONG_LENGTH)
        try:
            return known.command(self, request.data)
        except IngotError as error:
            _LOG.warning("%s: %s", self.chassis.plan.name, error.what)
            return Reply(Completion.UNSPECIFIED)


# ---------------------------------------------------------------- the BMC itself


def _system_guid(bmc: Commands, _data: bytes) -> Reply:
    return Reply(data=wire_guid(bmc.chassis.plan.uuid))


def _cold_reset(bmc: Commands, _data: bytes) -> Reply:
    bmc.parameters.clear()
    bmc.reset()
    return Reply()


def _warm_reset(bmc: Commands, _data: bytes) -> Reply:
    bmc.parameters.clear()
    return Reply()  # Sessions go on: ipmitool says goodbye after it, and would wait for an answer.


def _time(_bmc: Commands, _data: bytes) -> Reply:
    return Reply(data=int(time.time()).to_bytes(4, "little"))


# ---------------------------------------------------------------- power and light


def _status(bmc: Commands, _data: bytes) -> Reply:
    is_on = bmc.chassis.power() is Power.ON
    light = _IDENTIFY_ON if bmc.chassis.is_identified() else 0
    return Reply(data=bytes([is_on, 0, _IDENTIFY_SUPPORTED | light]))


def _control(bmc: Commands, data: bytes) -> Reply:
    number = data[0] & 0x0F
    if number >= len(_ACTIONS):
        return Reply(Completion.INVALID_FIELD)
    try:
        bmc.chassis.act(_ACTIONS[number])
    except PowerActionRefused:
        return Reply(Completion.INVALID_FIELD)
    return Reply()


def _identify(bmc: Commands, data: bytes) -> Reply:
    seconds = data[0] if data else _IDENTIFY_SECONDS
    if len(data) > 1 and data[1] & _FOR_GOOD:
        bmc.chassis.identify(on=True)
    else:
        bmc.chassis.identify(on=seconds > 0, seconds=seconds)
    return Reply()


# ---------------------------------------------------------------- boot options


def _set_boot_options(bmc: Commands, data: bytes) -> Reply:
    selector = data[0] & ~_MARKED_INVALID
    if selector >= len(_PARAMETER_LENGTHS):
        return Reply(Completion.PARAMETER_NOT_SUPPORTED)
    if selector == _BOOT_FLAGS:
        try:
            tell(bmc.chassis, BootFlags.parse(data[1:]))
        except UnknownBootDevice:
            return Reply(Completion.INVALID_FIELD)
    elif selector == _SET_IN_PROGRESS and data[1:2] == _COMMIT:
        bmc.parameters.pop(selector, None)
    else:
        bmc.parameters[selector] = data[1:]
    return Reply()


def _get_boot_options(bmc: Commands, data: bytes) -> Reply:
    selector = data[0] & ~_MARKED_INVALID
    if selector >= len(_PARAMETER_LENGTHS):
        return Reply(Completion.PARAMETER_NOT_SUPPORTED)
    if selector == _BOOT_FLAGS:
        value = flags_of(bmc.chassis.boot_settings()).as_bytes()
    else:
        value = bmc.parameters.get(selector, b"").ljust(_PARAMETER_LENGTHS[selector], b"\0")
    return Reply(data=bytes([_PARAMETER_VERSION, selector]) + value)


# ---------------------------------------------------------------- the table


@dataclass(frozen=True, slots=True)
class _Known:
    """A command: what it needs, the fewest bytes that come with it, and what does it."""

    privilege: Privilege
    least: int
    command: Callable[[Commands, bytes], Reply]


def _always(reply: Reply) -> _Known:
    return _Known(Privilege.USER, 0, lambda _bmc, _data: reply)


_TABLE: Final[Mapping[tuple[int, int], _Known]] = MappingProxyType(
    {
        (Function.APPLICATION, 0x01): _always(Reply(data=_DEVICE_ID)),
        (Function.APPLICATION, 0x02): _Known(Privilege.ADMINISTRATOR, 0, _cold_reset),
        (Function.APPLICATION, 0x03): _Known(Privilege.ADMINISTRATOR, 0, _warm_reset),
        (Function.APPLICATION, 0x04): _always(Reply(data=_SELF_TEST_PASSED)),
        (Function.APPLICATION, 0x37): _Known(Privilege.USER, 0, _system_guid),
        (Function.CHASSIS, 0x01): _Known(Privilege.USER, 0, _status),
        (Function.CHASSIS, 0x02): _Known(Privilege.OPERATOR, 1, _control),
        (Function.CHASSIS, 0x04): _Known(Privilege.OPERATOR, 0, _identify),
        (Function.CHASSIS, 0x08): _Known(Privilege.OPERATOR, 1, _set_boot_options),
        (Function.CHASSIS, 0x09): _Known(Privilege.OPERATOR, 3, _get_boot_options),
        (Function.STORAGE, 0x20): _always(SENSOR_REPOSITORY),
        (Function.STORAGE, 0x22): _always(RESERVATION),
        (Function.STORAGE, 0x23): _Known(Privilege.USER, 6, lambda _bmc, data: sensor_record(data)),
        (Function.STORAGE, 0x40): _always(EVENT_LOG),
        (Function.STORAGE, 0x42): _always(RESERVATION),
        (Function.STORAGE, 0x43): _always(Reply(Completion.NOT_PRESENT)),
        (Function.STORAGE, 0x47): _always(Reply(data=b"\1")),  # the log is cleared
        (Function.STORAGE, 0x48): _Known(Privilege.USER, 0, _time),
    }
)
