"""The resource drivers of sushy-tools' emulator, before the chassis of the request at hand.

The emulator asks drivers for facts by the identity in a path. Each BMC knows one system, one
chassis and one manager; every other identity is not found, also where it is that of a neighbour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

import flask
from sushy_tools import error
from sushy_tools.emulator.resources.managers import FakeDriver
from sushy_tools.emulator.resources.systems.base import AbstractSystemsDriver

from ingot.lab.bmc.redfish import inventory
from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.chassis import PowerAction, PowerActionRefused
from ingot.machine.model import BootMode, Power

__all__ = ["Boxes", "Drives", "Indicators", "Managers", "Storage", "Systems", "Volumes"]


def _own(identity: str, known: str, kind: str) -> str:
    if identity.lower() != known.lower():
        raise error.NotFound(f"there is no {kind} {identity}")
    return known


class Systems(AbstractSystemsDriver):  # type: ignore[misc] # sushy-tools has no types
    """The one system."""

    @property
    def driver(self) -> str:
        """What this is, to a person."""
        return "<ingot-lab>"

    @property
    def systems(self) -> list[str]:
        """The one there is."""
        return [here().system_id]

    def uuid(self, identity: str) -> str:
        """Return the UUID, which is the identity too."""
        return _own(identity, here().system_id, "system")

    def name(self, identity: str) -> str:
        """Return what people call it."""
        self.uuid(identity)
        return here().plan.name

    def get_power_state(self, identity: str) -> str:
        """Return Redfish's word."""
        self.uuid(identity)
        return "On" if here().chassis.power() is Power.ON else "Off"

    def set_power_state(self, identity: str, state: object) -> None:
        """Begin a power action."""
        self.uuid(identity)
        try:
            action = PowerAction(str(state))
        except ValueError as e:
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                f"ResetType {state!r} is not one of {', '.join(PowerAction)}",
                message_id="ActionParameterValueNotInList",
            ) from e
        try:
            here().chassis.act(action)
        except PowerActionRefused as e:
            raise Refused(
                HTTPStatus.BAD_REQUEST, e.what, message_id="ActionParameterValueNotInList"
            ) from e

    def get_boot_device(self, identity: str) -> str:
        """Return something: what is shown comes from `bootoverride`."""
        return self.uuid(identity) and "None"

    def set_boot_device(self, identity: str, boot_source: str) -> None:
        """Never asked: `systemview` takes boot settings."""
        raise error.NotSupportedError(f"{boot_source} cannot be set on {identity}")

    def get_boot_mode(self, identity: str) -> str:
        """As `get_boot_device`."""
        return self.uuid(identity) and "Legacy"

    def get_secure_boot(self, identity: str) -> bool:
        """Return whether it is on."""
        self.uuid(identity)
        return here().chassis.boot_settings().secure_boot

    def set_secure_boot(self, identity: str, secure: object) -> None:
        """Switch it."""
        self.uuid(identity)
        if not isinstance(secure, bool):
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                "SecureBootEnable must be true or false",
                message_id="PropertyValueTypeError",
            )
        if secure and here().chassis.boot_settings().mode is not BootMode.UEFI:
            raise Refused(HTTPStatus.BAD_REQUEST, "secure boot needs the boot mode UEFI")
        here().chassis.set_secure_boot(on=secure)

    def get_total_memory(self, identity: str) -> float:
        """Return GiB; lab hosts may have less than one."""
        self.uuid(identity)
        return inventory.memory_gib(here().plan)

    def get_total_cpus(self, identity: str) -> int:
        """Return how many."""
        self.uuid(identity)
        return here().plan.cpus

    def get_bios(self, identity: str) -> dict[str, bool | int | str]:
        """Return the settings; the emulator asks here for those that wait as well."""
        self.uuid(identity)
        if flask.request.endpoint == "bios_settings":
            return here().bios.pending()
        return here().bios.attributes()

    def set_bios(self, identity: str, attributes: object) -> None:
        """Have settings changed at the next start."""
        self.uuid(identity)
        if not isinstance(attributes, dict):
            raise Refused(
                HTTPStatus.BAD_REQUEST, "Attributes is needed", message_id="PropertyMissing"
            )
        here().bios.ask(attributes)

    def reset_bios(self, identity: str) -> None:
        """Have the factory's at the next start."""
        self.uuid(identity)
        here().bios.ask_factory()

    def get_versions(self, identity: str) -> dict[str, str]:
        """Return versions of firmware."""
        self.uuid(identity)
        return {"BiosVersion": here().nvram.memory.bios_version}

    def set_versions(self, identity: str, firmware_versions: dict[str, str]) -> None:
        """Take what an update says it has brought."""
        self.uuid(identity)
        here().nvram.remember(bios_version=firmware_versions["BiosVersion"])

    def get_nics(self, identity: str) -> list[dict[str, str]]:
        """Return the network cards."""
        self.uuid(identity)
        return inventory.nics(here().plan)

    def get_processors(self, identity: str) -> list[dict[str, object]]:
        """Return the sockets."""
        self.uuid(identity)
        return inventory.processors(here().plan)

    def get_simple_storage_collection(self, identity: str) -> dict[str, dict[str, object]]:
        """Return the one controller with its disks."""
        self.uuid(identity)
        return inventory.simple_storage(here().plan)

    def set_boot_image(
        self,
        identity: str,
        device: str,  # noqa: ARG002 - the emulator's signature
        boot_image: str | None = None,  # noqa: ARG002
        write_protected: bool = True,  # noqa: ARG002, FBT001, FBT002
    ) -> None:
        """Do nothing: the drive has told the chassis already."""
        self.uuid(identity)


class Managers(FakeDriver):  # type: ignore[misc] # sushy-tools has no types
    """The BMC itself; it has the identity of its system."""

    def set_datetime(self, datetime_value: object, datetimelocaloffset_value: object) -> None:
        """Refuse: a lab's BMCs have the clock of the PC."""
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            f"the clock cannot be set to {datetime_value} {datetimelocaloffset_value}",
            message_id="PropertyNotWritable",
        )

    def get_datetime(self) -> dict[str, str]:
        """Return what the clock shows."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {"DateTime": now, "DateTimeLocalOffset": "+00:00"}


class Boxes:
    """The one chassis."""

    @property
    def chassis(self) -> list[str]:
        """The one there is."""
        return [here().chassis_id]

    def uuid(self, identity: str) -> str:
        """Return the UUID, which is the identity too."""
        return _own(identity, here().chassis_id, "chassis")

    def name(self, identity: str) -> str:
        """Return what people call it."""
        self.uuid(identity)
        return f"{here().plan.name} chassis"


class Indicators:
    """The light by which a person finds the host; system and chassis have the same one."""

    def get_indicator_state(self, _: str) -> str:
        """Return Redfish's word."""
        return "Lit" if here().chassis.is_identified() else "Off"

    def set_indicator_state(self, _: str, state: object) -> None:
        """Switch it; it does not blink, it is on or off."""
        if state not in {"Lit", "Blinking", "Off"}:
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                f"IndicatorLED {state!r} is not one of Lit, Blinking, Off",
                message_id="PropertyValueNotInList",
            )
        here().chassis.identify(on=state != "Off")


class Storage:
    """The one controller."""

    def get_storage_col(self, identity: str) -> list[dict[str, object]]:
        """Return it."""
        _own(identity, here().system_id, "system")
        return [inventory.controller(here().plan)]

    def get_all_storage(self) -> list[tuple[str, str]]:
        """Return it with the identity of its system."""
        return [(here().system_id, inventory.CONTROLLER)]


class Drives:
    """The disks."""

    def get_drives(self, identity: str, storage: str) -> list[dict[str, object]]:
        """Return them."""
        _own(identity, here().system_id, "system")
        _own(storage, inventory.CONTROLLER, "storage")
        return inventory.drives(here().plan)

    def get_all_drives(self) -> list[tuple[str, str, str]]:
        """Return them with the identities above them."""
        numbers = range(1, len(here().plan.disks) + 1)
        return [(here().system_id, inventory.CONTROLLER, str(number)) for number in numbers]


class Volumes:
    """There is no RAID, so there are no volumes."""

    def get_volumes_col(self, identity: str, storage: str) -> list[object]:
        """Return none."""
        _own(identity, here().system_id, "system")
        _own(storage, inventory.CONTROLLER, "storage")
        return []
