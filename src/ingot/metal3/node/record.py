"""A node's record as it should be for its host: driver, interfaces, BMC, ramdisk, properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from ingot.ironic.document import Json, JsonObject, table
from ingot.ironic.node import Node
from ingot.ironic.patch import REMOVED, Operation, Removed, Wish, difference
from ingot.ironic.states import ProvisionState
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.node.bmcaccess import bmc_access, names_another_bmc
from ingot.metal3.node.capabilities import with_boot_mode
from ingot.metal3.node.subject import Ramdisk, Subject

__all__ = [
    "INTERFACES_CHANGEABLE",
    "changes_driver",
    "creation",
    "inspect_interface",
    "interface_changes",
    "is_changeable",
    "record_changes",
]

Keys: TypeAlias = "dict[str, Json | Removed]"

INTERFACES_CHANGEABLE: Final = frozenset(
    {ProvisionState.ENROLL, ProvisionState.MANAGEABLE, ProvisionState.AVAILABLE}
)
"""Where interfaces may be changed; in maintenance Ironic allows it anywhere.

It would allow it in `inspect wait` too, but not without harm to the inspection.
"""

_SET_WHEN_USED: Final = frozenset({"inspect_interface", "raid_interface"})
"""What an inspection or a RAID needs changes from one to the next, and is set before each."""


def is_changeable(node: Node) -> bool:
    """Whether the record can be changed now: not while Ironic takes the node elsewhere."""
    state = node.status.provision_state
    return state.is_stable or state.is_failed or state is ProvisionState.SERVICE_HOLD


def creation(subject: Subject) -> dict[str, Json]:
    """Return the fields of a new node."""
    fields: dict[str, Json] = {
        "uuid": subject.node_id,
        "name": subject.node_name,
        "driver": _driver(subject),
        **{name: value for name, value in _interfaces(subject).items() if value is not None},
    }
    for name, value in _wish(subject, {}).items():
        if isinstance(value, Mapping):
            held: dict[str, Json] = {
                key: inner for key, inner in value.items() if inner is not REMOVED
            }
            if held:
                fields[name] = held
        elif value is not REMOVED:
            fields[name] = value
    return fields


def record_changes(
    subject: Subject, node: Node, *, secrets_changed: bool = False
) -> tuple[Operation, ...]:
    """Return what has to change in all but driver and interfaces.

    Args:
        subject: the host.
        node: its node, where that can be changed.
        secrets_changed: whether the password is another one, which cannot be seen.
    """
    seen = node.document
    another = secrets_changed or names_another_bmc(subject, node)
    wish: Wish = {"name": subject.node_name, **_wish(subject, seen)}
    return difference(seen, wish, secrets_changed=another)


def interface_changes(subject: Subject, node: Node) -> tuple[Operation, ...]:
    """Return what has to change in driver and interfaces."""
    another = changes_driver(subject, node)
    wish: dict[str, Json | Removed] = {"driver": _driver(subject)}
    for name, value in _interfaces(subject).items():
        if value is not None:
            if another or name not in _SET_WHEN_USED:
                wish[name] = value
        elif another:
            wish[name] = REMOVED  # what the old driver had may be nothing for the new one
    return difference(node.document, wish)


def changes_driver(subject: Subject, node: Node) -> bool:
    """Whether the BMC is now driven in another way."""
    return node.document.get("driver") != _driver(subject)


def inspect_interface(subject: Subject, mode: InspectionMode) -> str | None:
    """Return who looks at the hardware; None leaves it to Ironic."""
    if subject.site.driver:
        return None
    return subject.bmc.traits.inspect_interface if mode is InspectionMode.FAST else "agent"


def _driver(subject: Subject) -> str:
    return subject.site.driver or subject.bmc.traits.driver


def _interfaces(subject: Subject) -> dict[str, str | None]:
    if subject.site.driver:
        return {}
    traits = subject.bmc.traits
    return {
        "bios_interface": traits.bios_interface,
        "boot_interface": traits.boot_interface,
        "firmware_interface": traits.firmware_interface,
        "inspect_interface": inspect_interface(subject, subject.inspection),
        "management_interface": traits.management_interface,
        "power_interface": traits.power_interface,
        "raid_interface": traits.raid_interface,
        "vendor_interface": traits.vendor_interface,
    }


def _wish(subject: Subject, seen: JsonObject) -> dict[str, Json | Removed | Keys]:
    kept = str(table(seen, "properties").get("capabilities") or "")
    properties: Keys = {"capabilities": with_boot_mode(kept, subject.boot_mode)}
    if subject.architecture:
        properties["cpu_arch"] = subject.architecture
    wish: dict[str, Json | Removed | Keys] = {
        "automated_clean": subject.automated_clean,
        "driver_info": {**bmc_access(subject), **_booting(subject)},
        "properties": properties,
    }
    if subject.site.can_disable_power_off:
        wish["disable_power_off"] = subject.disable_power_off
    if subject.network_data is not None:
        # Ours as a whole, so what it does not say goes.
        stale: Keys = dict.fromkeys(table(seen, "network_data"), REMOVED)
        wish["network_data"] = {**stale, **subject.network_data}
    return wish


def _booting(subject: Subject) -> Keys:
    ramdisk = subject.ramdisk or subject.site.ramdisk
    keys: Keys = dict.fromkeys(
        ("deploy_iso", "deploy_kernel", "deploy_ramdisk", "kernel_append_params"), REMOVED
    )
    if ramdisk.iso and (subject.bmc.traits.iso_ramdisk or not ramdisk.initrd):
        keys["deploy_iso"] = ramdisk.iso
    elif ramdisk.initrd:
        keys["deploy_ramdisk"] = ramdisk.initrd
        if kernel := ramdisk.kernel or subject.site.ramdisk.kernel:
            keys["deploy_kernel"] = kernel
        _append(keys, ramdisk)
    url = subject.site.external_url_v6
    keys["external_http_url"] = url if url and subject.bmc_has_ipv6 else REMOVED
    return keys


def _append(keys: Keys, ramdisk: Ramdisk) -> None:
    if ramdisk.kernel_params:
        # Ironic puts its own configuration's parameters where this says %default%.
        keys["kernel_append_params"] = f"%default% {ramdisk.kernel_params}"
