"""The words that a lab is described with; without imports that would slow down the command line."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BmcChoice", "BmcKind", "DriverKind", "ProvisioningMode", "Role", "Wire"]


class DriverKind(StrEnum):
    """What runs a host."""

    UML = "uml"
    LIBVIRT = "libvirt"


class BmcKind(StrEnum):
    """What an install-config calls a host's BMC; the first word of its address."""

    REDFISH = "redfish"
    REDFISH_VIRTUALMEDIA = "redfish-virtualmedia"
    IPMI = "ipmi"


class BmcChoice(StrEnum):
    """What is asked for: one kind for all hosts, or each kind in turn."""

    REDFISH = "redfish"
    REDFISH_VIRTUALMEDIA = "redfish-virtualmedia"
    IPMI = "ipmi"
    MIXED = "mixed"


class ProvisioningMode(StrEnum):
    """What is on the provisioning network, as in an install-config."""

    MANAGED = "managed"
    UNMANAGED = "unmanaged"
    DISABLED = "disabled"


class Role(StrEnum):
    """What a host is meant for."""

    CONTROL_PLANE = "control-plane"
    WORKER = "worker"
    SPARE = "spare"


class Wire(StrEnum):
    """A network that a host has a card on."""

    PROVISIONING = "provisioning"
    EXTERNAL = "external"
