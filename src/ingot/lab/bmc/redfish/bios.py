"""BIOS settings, and changes to them that wait for the next start.

Two attributes are more than a note: `BootMode` is the kind of firmware the chassis has, and
`NumCores` is what the host has. The rest is kept, and does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from ingot.lab.bmc.redfish.biosattributes import ATTRIBUTES, MODES
from ingot.lab.bmc.redfish.nvram import Nvram, Setting
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.chassis import Chassis

__all__ = ["Bios"]


class Bios:
    """The settings of one host."""

    def __init__(self, chassis: Chassis, nvram: Nvram) -> None:
        self._chassis = chassis
        self._nvram = nvram

    def attributes(self) -> dict[str, Setting]:
        """Return what holds now."""
        mode = self._chassis.boot_settings().mode
        return {
            **self._factory(),
            **self._nvram.memory.bios,
            "BootMode": next(name for name, one in MODES.items() if one is mode),
        }

    def pending(self) -> dict[str, Setting]:
        """Return what will hold after the next start."""
        return dict(self._nvram.memory.pending)

    def ask(self, wanted: Mapping[str, object]) -> None:
        """Have settings changed when the host starts next.

        Raises:
            Refused: one is unknown, read-only or impossible; none is changed then.
        """
        settings = {name: _checked(name, value) for name, value in wanted.items()}
        self._nvram.change(
            lambda memory: memory.model_copy(update={"pending": memory.pending | settings})
        )

    def ask_factory(self) -> None:
        """Have everything as it came from the factory when the host starts next."""
        settings = {
            name: value for name, value in self._factory().items() if not ATTRIBUTES[name].read_only
        }
        self._nvram.remember(pending=settings)

    def started(self) -> None:
        """Make so what was asked for: the host starts now, whoever has told it to."""
        pending = self._nvram.memory.pending
        if not pending:
            return
        self._nvram.change(
            lambda memory: memory.model_copy(update={"bios": memory.bios | pending, "pending": {}})
        )
        mode = pending.get("BootMode")
        if isinstance(mode, str):
            self._chassis.set_boot_mode(MODES[mode])

    def _factory(self) -> dict[str, Setting]:
        defaults = {name: attribute.default for name, attribute in ATTRIBUTES.items()}
        plan = self._chassis.plan
        mode = next(name for name, one in MODES.items() if one is plan.boot_mode)
        return {**defaults, "BootMode": mode, "NumCores": plan.cpus}


def _checked(name: str, value: object) -> Setting:
    attribute = ATTRIBUTES.get(name)
    if attribute is None:
        raise _bad(f"there is no BIOS attribute {name}", "PropertyUnknown")
    if attribute.read_only:
        raise _bad(f"the BIOS attribute {name} cannot be changed", "PropertyNotWritable")
    if not isinstance(value, bool | int | str) or not attribute.takes(value):
        raise _bad(f"the BIOS attribute {name} cannot be {value!r}", "PropertyValueNotInList")
    return value


def _bad(message: str, message_id: str) -> Refused:
    return Refused(HTTPStatus.BAD_REQUEST, message, message_id=message_id)
