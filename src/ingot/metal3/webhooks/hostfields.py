"""Rules of a host that concern a single field or two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.webhooks.finding import Finding, shown, warning

__all__ = [
    "cards_are_told_apart",
    "device_name_is_a_device",
    "host_stays_on_where_it_must",
    "name_can_be_a_nodes",
    "no_firmware_switches",
    "nothing_is_deprecated",
    "secrets_are_near",
]

NODE_NAME: Final = 255
"""Characters that Ironic takes for a node's name, which is namespace, tilde and name."""

LABEL: Final = 63
"""Characters that Kubernetes takes for the value of a label."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_DEVICE: Final = re.compile(r"/dev/(?:disk/by-path/)?(?!\.{1,2}$)[^/\s]+")


def no_firmware_switches(host: BareMetalHost) -> Iterator[Finding]:
    """Row 2: spec.firmware is not set."""
    if host.spec.firmware is not None:
        yield Finding(
            "spec.firmware",
            "is not acted on any more",
            "remove it, and set the same in the HostFirmwareSettings of the host",
        )


def secrets_are_near(host: BareMetalHost) -> Iterator[Finding]:
    """Row 3: userData, networkData and metaData are in the host's own namespace."""
    own = host.metadata.namespace
    for field, reference in (
        ("userData", host.spec.user_data),
        ("networkData", host.spec.network_data),
        ("metaData", host.spec.meta_data),
    ):
        if reference is not None and reference.namespace not in ("", own):
            yield Finding(
                f"spec.{field}.namespace",
                f"is {shown(reference.namespace)}, but the host is in {shown(own)}",
                "put the Secret into the host's namespace, and leave this out",
            )


def name_can_be_a_nodes(host: BareMetalHost) -> Iterator[Finding]:
    """Row 14: the name has only characters that Ironic takes, and is no UUID.

    Ours besides: with its namespace it fits into a node's name.
    """
    name, namespace = host.metadata.name, host.metadata.namespace
    if not _NAME.fullmatch(name):
        yield Finding(
            "metadata.name",
            f"{shown(name)} has characters that Ironic does not take",
            "use letters, digits, dots, underscores and hyphens",
        )
    elif _UUID.fullmatch(name):
        yield Finding(
            "metadata.name",
            f"{shown(name)} is a UUID, which Ironic takes for the id of a node",
            "choose another name",
        )
    if len(f"{namespace}~{name}") > NODE_NAME:
        yield Finding(
            "metadata.name",
            f"has {len(name)} characters",
            f"keep it to {NODE_NAME - 1 - len(namespace)}; "
            f"with the namespace it becomes a node's name, of at most {NODE_NAME}",
        )
    elif len(name) > LABEL:
        yield warning(
            "metadata.name",
            f"has {len(name)} characters",
            f"keep it to {LABEL}, so that it can be a label's value",
        )


def device_name_is_a_device(host: BareMetalHost) -> Iterator[Finding]:
    """Row 15: a root device's name is directly in /dev/ or in /dev/disk/by-path/."""
    hints = host.spec.root_device_hints
    if hints is not None and hints.device_name and not _DEVICE.fullmatch(hints.device_name):
        yield Finding(
            "spec.rootDeviceHints.deviceName",
            f"is {shown(hints.device_name)}",
            "give one directly in /dev/ or in /dev/disk/by-path/; other links to a disk have "
            "hints of their own, such as wwn",
        )


def host_stays_on_where_it_must(host: BareMetalHost) -> Iterator[Finding]:
    """Row 24: a host that is never turned off is not asked to be off."""
    if host.spec.disable_power_off and not host.spec.online:
        yield Finding(
            "spec.online",
            "is false, but disablePowerOff forbids to turn the host off",
            "set online to true, or disablePowerOff to false",
        )


def cards_are_told_apart(host: BareMetalHost) -> Iterator[Finding]:
    """Row 25: an entry of networkInterfaces has a name or a MAC address, that no other has."""
    seen: dict[str, int] = {}
    for index, card in enumerate(host.spec.network_interfaces):
        field = f"spec.networkInterfaces[{index}]"
        if bool(card.name) == bool(card.mac_address):
            what = "has both name and macAddress" if card.name else "has no name and no macAddress"
            yield Finding(field, what, "give one of name and macAddress")
            continue
        key = card.name or (card.mac_address or "").lower()
        if key in seen:
            yield Finding(
                field,
                f"is {shown(key)}, as is entry {seen[key]}",
                "remove one of the two",
            )
        seen.setdefault(key, index)


def nothing_is_deprecated(host: BareMetalHost) -> Iterator[Finding]:
    """No row: what still works, or never did, is told once."""
    if host.spec.hardware_profile:
        yield warning("spec.hardwareProfile", "is deprecated", "give rootDeviceHints instead")
    if host.spec.taints:
        yield warning("spec.taints", "has no effect", "remove it")
