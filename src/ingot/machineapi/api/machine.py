"""Machine: what one node runs on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Column, Definition
from ingot.kube.crd.wire import (
    ATOMIC,
    OMIT_EMPTY,
    OMIT_UNSET,
    WIRE,
    Many,
    Text,
    Time,
    Words,
)
from ingot.machineapi.api.conditions import Conditions
from ingot.machineapi.api.providerspec import ProviderSpec
from ingot.machineapi.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "Address",
    "AddressType",
    "Hook",
    "LastOperation",
    "LifecycleHooks",
    "Machine",
    "MachineSpec",
    "MachineStatus",
    "NodeMetadata",
    "ObjectReference",
    "Phase",
    "Taint",
]

Untyped = Annotated[
    Mapping[str, Any],
    WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
    OMIT_EMPTY,
]


class Phase(StrEnum):
    """Where a Machine stands."""

    NONE = ""
    PROVISIONING = "Provisioning"
    PROVISIONED = "Provisioned"
    RUNNING = "Running"
    DELETING = "Deleting"
    FAILED = "Failed"


class AddressType(StrEnum):
    """What an address is."""

    HOSTNAME = "Hostname"
    INTERNAL_DNS = "InternalDNS"
    INTERNAL_IP = "InternalIP"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class NodeMetadata:
    """What the Node of a Machine carries."""

    labels: Words = Field(default_factory=dict)
    """Labels that the Node gets."""

    annotations: Words = Field(default_factory=dict)
    """Annotations that the Node gets."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Taint:
    """A mark that keeps pods off a node."""

    key: str
    """What the taint is called."""

    effect: str
    """What happens to pods that do not tolerate it."""

    value: Text = ""
    """The taint's value."""

    time_added: Time | None = None
    """When it was added."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Hook:
    """Somebody who is waited for."""

    name: str
    """What is waited for."""

    owner: Text = ""
    """Who takes the hook away again."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class LifecycleHooks:
    """Who is waited for when a Machine goes. There is no limit: whoever set a hook removes it."""

    pre_drain: Many[Hook] = ()
    """Before its Node is drained."""

    pre_terminate: Many[Hook] = ()
    """Before its host is given back."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineSpec:
    """What is wanted."""

    metadata: Annotated[NodeMetadata, OMIT_UNSET] = Field(default_factory=NodeMetadata)
    """What the Node carries."""

    taints: Many[Taint] = ()
    """Taints that the Node gets."""

    lifecycle_hooks: Annotated[LifecycleHooks, OMIT_UNSET] = Field(default_factory=LifecycleHooks)
    """Who is waited for when the Machine goes."""

    provider_spec: ProviderSpec = Field(default_factory=ProviderSpec)
    """Which host is taken, and what is written to it. Changing it changes no host that is taken."""

    provider_id: Annotated[Text, Field(alias="providerID")] = ""
    """Set by the controller: `baremetalhost:///NAMESPACE/HOST/UID`."""


@dataclass(frozen=True, slots=True, kw_only=True, config=ATOMIC)
class ObjectReference:
    """Any object of the cluster."""

    api_version: Text = ""
    """Its group and version."""

    kind: Text = ""
    """Its kind."""

    name: Text = ""
    """Its name."""

    namespace: Text = ""
    """Its namespace."""

    uid: Text = ""
    """Its unique id."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Address:
    """One of a Machine's addresses."""

    type: str
    """`Hostname`, `InternalDNS` or `InternalIP`."""

    address: str
    """The address."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class LastOperation:
    """What the controller did last."""

    description: Text = ""
    """As a sentence."""

    type: Text = ""
    """`Create`, `Update` or `Delete`."""

    state: Text = ""
    """`Processing`, `Successful` or `Failed`."""

    last_updated: Time | None = None
    """When."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineStatus:
    """Where a Machine stands."""

    phase: Text = ""
    """`Provisioning`, `Provisioned`, `Running`, `Deleting` or `Failed`."""

    node_ref: ObjectReference | None = None
    """Its Node."""

    addresses: Many[Address] = ()
    """Its names and addresses."""

    conditions: Conditions = ()
    """What is observed."""

    error_reason: Text = ""
    """What has to be changed before it can go on, as one word."""

    error_message: Text = ""
    """The same as a sentence."""

    last_updated: Time | None = None
    """When this status was last written."""

    last_operation: LastOperation | None = None
    """What the controller did last."""

    provider_status: Untyped = Field(default_factory=dict)
    """What the provider of machines keeps; ours keeps nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Machine:
    """What one node runs on."""

    spec: MachineSpec = Field(default_factory=MachineSpec)
    """What is wanted."""

    status: Annotated[MachineStatus, OMIT_UNSET] = Field(default_factory=MachineStatus)
    """Where it stands."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=Machine,
    plural="machines",
    columns=(
        Column("Phase", ".status.phase", "Where the Machine stands."),
        Column("Host", r".metadata.annotations['metal3\.io/BareMetalHost']", "Its host."),
        Column("Node", ".status.nodeRef.name", "Its Node."),
        Column(
            "State",
            r".metadata.annotations['machine\.openshift\.io/instance-state']",
            "Where its host stands.",
            priority=1,
        ),
        Column("ProviderID", ".spec.providerID", "What its Node is known by.", priority=1),
        Column("Error", ".status.errorReason", "What has to be changed.", priority=1),
        AGE,
    ),
)
