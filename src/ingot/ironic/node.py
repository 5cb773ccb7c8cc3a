"""A node as Ironic shows it, in two sizes.

`NodeStatus` has what changes by itself, for listings of all nodes every few seconds. `Node` has the
rest, for whoever is about to act on one. Listing either of a thousand nodes costs Ironic a third of
a second; what differs is what the client has to read and keep: docs/decisions/0012-ironic-client.md

Times are kept as the texts that Ironic sends: they are compared more often than counted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NewType, Protocol, Self

from ingot.ironic.document import Json, JsonObject, flag, table, text, text_or_none
from ingot.ironic.states import PowerState, ProvisionState
from ingot.ironic.version import DISABLE_POWER_OFF, HEALTH, Microversion

__all__ = ["Node", "NodeId", "NodeStatus", "View"]

NodeId = NewType("NodeId", str)
"""A node's UUID. Names work in most calls too, but may be given to another node."""


class View(Protocol):
    """A size in which nodes are asked for."""

    @classmethod
    def fields(cls, version: Microversion) -> tuple[str, ...]:
        """Return the fields to ask for."""

    @classmethod
    def read(cls, document: JsonObject) -> Self:
        """Return a node from its JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatus:
    """What changes of a node while things happen to it.

    Attributes:
        uuid: its identifier.
        name: `namespace~name` of its host, or None.
        provision_state: where it is in its life.
        target_provision_state: where Ironic is taking it, while it does.
        power_state: what the BMC last said.
        target_power_state: what the power is being switched to, while it is.
        last_error: why the last operation failed.
        maintenance: whether Ironic leaves it alone.
        fault: why Ironic itself has put it into maintenance; None when a person has.
        instance_uuid: what it is deployed for.
        reservation: the conductor that holds its lock now; a call that changes it would meet 409.
        provision_updated_at: when its provision state last changed.
        boot_interface: how its ramdisk gets to it.
    """

    uuid: NodeId
    name: str | None
    provision_state: ProvisionState
    target_provision_state: str | None
    power_state: PowerState
    target_power_state: str | None
    last_error: str | None
    maintenance: bool
    fault: str | None
    instance_uuid: str | None
    reservation: str | None
    provision_updated_at: str | None
    boot_interface: str | None

    FIELDS: ClassVar[tuple[str, ...]] = (
        "uuid",
        "name",
        "provision_state",
        "target_provision_state",
        "power_state",
        "target_power_state",
        "last_error",
        "maintenance",
        "fault",
        "instance_uuid",
        "reservation",
        "provision_updated_at",
        "boot_interface",
    )

    @classmethod
    def fields(cls, version: Microversion) -> tuple[str, ...]:
        """Return the fields to ask for; every version has these."""
        del version
        return cls.FIELDS

    @classmethod
    def read(cls, document: JsonObject) -> NodeStatus:
        """Return a node from its JSON."""
        return NodeStatus(
            uuid=NodeId(text(document, "uuid")),
            name=text_or_none(document, "name"),
            provision_state=ProvisionState.read(text_or_none(document, "provision_state")),
            target_provision_state=text_or_none(document, "target_provision_state"),
            power_state=PowerState.read(text_or_none(document, "power_state")),
            target_power_state=text_or_none(document, "target_power_state"),
            last_error=text_or_none(document, "last_error"),
            maintenance=flag(document, "maintenance"),
            fault=text_or_none(document, "fault"),
            instance_uuid=text_or_none(document, "instance_uuid"),
            reservation=text_or_none(document, "reservation"),
            provision_updated_at=text_or_none(document, "provision_updated_at"),
            boot_interface=text_or_none(document, "boot_interface"),
        )


@dataclass(frozen=True, slots=True)
class Node:
    """All of a node that is used.

    Attributes:
        status: what changes of it.
        document: every field by its name, as Ironic shows it: what a patch is computed against.
            Secrets are masked in it.
    """

    status: NodeStatus
    document: JsonObject = field(repr=False, compare=False)

    FIELDS: ClassVar[tuple[str, ...]] = (
        *NodeStatus.FIELDS,
        "automated_clean",
        "bios_interface",
        "clean_step",
        "deploy_interface",
        "deploy_step",
        "driver",
        "driver_info",
        "driver_internal_info",
        "extra",
        "firmware_interface",
        "inspect_interface",
        "inspection_finished_at",
        "inspection_started_at",
        "instance_info",
        "maintenance_reason",
        "management_interface",
        "network_data",
        "power_interface",
        "properties",
        "raid_config",
        "raid_interface",
        "service_step",
        "target_raid_config",
        "vendor_interface",
    )

    @classmethod
    def fields(cls, version: Microversion) -> tuple[str, ...]:
        """Return the fields to ask for."""
        newer = (("disable_power_off", DISABLE_POWER_OFF), ("health", HEALTH))
        return (*cls.FIELDS, *(name for name, since in newer if version >= since))

    @classmethod
    def read(cls, document: JsonObject) -> Node:
        """Return a node from its JSON."""
        kept = {name: value for name, value in document.items() if name != "links"}
        return Node(NodeStatus.read(document), kept)

    @property
    def uuid(self) -> NodeId:
        """Its identifier."""
        return self.status.uuid

    @property
    def driver_info(self) -> Mapping[str, Json]:
        """How its BMC is reached and its ramdisk is made."""
        return table(self.document, "driver_info")

    @property
    def driver_internal_info(self) -> Mapping[str, Json]:
        """What Ironic keeps of it for itself, such as when the agent was last heard of."""
        return table(self.document, "driver_internal_info")

    @property
    def instance_info(self) -> Mapping[str, Json]:
        """What it is, or was, deployed with."""
        return table(self.document, "instance_info")

    @property
    def properties(self) -> Mapping[str, Json]:
        """What is known of its hardware: capabilities and architecture."""
        return table(self.document, "properties")

    @property
    def health(self) -> str | None:
        """What the BMC says of the hardware; None before API 1.109."""
        return text_or_none(self.document, "health")
