"""Everything that a goal may ask of Ironic, as values: decided on here, made in `performing`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ingot.ironic.document import Json
from ingot.ironic.driving import ConfigDrive, Step
from ingot.ironic.node import NodeId
from ingot.ironic.patch import Operation
from ingot.ironic.ports import Port
from ingot.ironic.states import PowerTarget, Verb

__all__ = [
    "Ask",
    "Call",
    "Clean",
    "ClearMaintenance",
    "CreateNode",
    "CreatePort",
    "DeleteNode",
    "DeletePort",
    "Deploy",
    "PatchNode",
    "Service",
    "SetMaintenance",
    "SetPower",
    "Validate",
    "WantRaid",
    "hardened",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNode:
    """Make a node. Its UUID is among the fields, so calls about it may follow at once."""

    fields: Mapping[str, Json] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchNode:
    """Change fields of a node; never none."""

    node: NodeId
    operations: tuple[Operation, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePort:
    """Give a node a network card."""

    node: NodeId
    address: str
    pxe_enabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePort:
    """Take a network card from its node."""

    port: Port


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask for a change of provision state."""

    node: NodeId
    verb: Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """See that these interfaces have all that they need; if not, what follows is not called."""

    node: NodeId
    interfaces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deploy:
    """Write the image, and boot from it."""

    node: NodeId
    config_drive: ConfigDrive | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clean:
    """Run steps on a server that is not deployed."""

    node: NodeId
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Run steps on a server that stays deployed."""

    node: NodeId
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPower:
    """Switch a server's power."""

    node: NodeId
    target: PowerTarget
    timeout_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantRaid:
    """Say which RAID the next cleaning is to make."""

    node: NodeId
    target: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMaintenance:
    """Have Ironic leave a node alone."""

    node: NodeId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearMaintenance:
    """Have Ironic look after a node again."""

    node: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteNode:
    """Remove a node with its ports."""

    node: NodeId


Call = (
    CreateNode
    | PatchNode
    | CreatePort
    | DeletePort
    | Ask
    | Validate
    | Deploy
    | Clean
    | Service
    | SetPower
    | WantRaid
    | SetMaintenance
    | ClearMaintenance
    | DeleteNode
)

_HARD = {PowerTarget.SOFT_OFF: PowerTarget.OFF, PowerTarget.SOFT_REBOOT: PowerTarget.REBOOT}


def hardened(call: Call) -> SetPower | None:
    """Return what to call where Ironic refuses a soft power change, which not every BMC knows."""
    if isinstance(call, SetPower) and call.target in _HARD:
        return replace(call, target=_HARD[call.target], timeout_seconds=None)
    return None
