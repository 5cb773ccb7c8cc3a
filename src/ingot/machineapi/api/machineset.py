"""MachineSet: a number of Machines that are made alike."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Column, Definition, Scale
from ingot.kube.crd.wire import (
    INT32,
    INT64,
    OMIT_EMPTY,
    OMIT_UNSET,
    STORED_DEFAULT,
    WIRE,
    Many,
    Text,
    Words,
)
from ingot.machineapi.api.conditions import Conditions
from ingot.machineapi.api.machine import MachineSpec
from ingot.machineapi.api.providerspec import Requirement
from ingot.machineapi.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "DeletePolicy",
    "LabelSelector",
    "MachineSet",
    "MachineSetSpec",
    "MachineSetStatus",
    "MachineTemplate",
    "TemplateMetadata",
]


class DeletePolicy(StrEnum):
    """Which of several healthy Machines goes first when a set shrinks."""

    RANDOM = "Random"
    NEWEST = "Newest"
    OLDEST = "Oldest"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class LabelSelector:
    """Which objects are meant: all rules have to hold."""

    match_labels: Words = Field(default_factory=dict)
    """Labels that an object has."""

    match_expressions: Many[Requirement] = ()
    """Rules about its labels."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class TemplateMetadata:
    """What the Machines of a set carry."""

    labels: Words = Field(default_factory=dict)
    """Their labels, which the set's selector has to match."""

    annotations: Words = Field(default_factory=dict)
    """Their annotations."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineTemplate:
    """How a Machine is made."""

    metadata: TemplateMetadata = Field(default_factory=TemplateMetadata)
    """What it carries."""

    spec: MachineSpec = Field(default_factory=MachineSpec)
    """What is wanted of it. A change holds for Machines that are made from then on."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineSetSpec:
    """What is wanted."""

    replicas: Annotated[int, Field(ge=0), INT32, STORED_DEFAULT] = 1
    """How many Machines there are to be."""

    min_ready_seconds: Annotated[int, Field(ge=0), INT32, OMIT_EMPTY] = 0
    """How long a Node has to be ready before it counts as available."""

    delete_policy: DeletePolicy | None = None
    """Which Machine goes first when the set shrinks, of those that are alike in all else:
    `Newest` or `Oldest`. `Random`, which is the default, leaves it to the controller, which takes
    the newest."""

    selector: LabelSelector = Field(default_factory=LabelSelector)
    """Which Machines belong to the set."""

    template: MachineTemplate = Field(default_factory=MachineTemplate)
    """How a Machine is made."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineSetStatus:
    """Where a set stands."""

    replicas: Annotated[int, INT32] = 0
    """How many Machines there are that are not going."""

    fully_labeled_replicas: Annotated[int, INT32, OMIT_EMPTY] = 0
    """How many of them carry all labels of the template."""

    ready_replicas: Annotated[int, INT32, OMIT_EMPTY] = 0
    """How many of them have a Node that is ready."""

    available_replicas: Annotated[int, INT32, OMIT_EMPTY] = 0
    """How many of them have had one for long enough."""

    observed_generation: Annotated[int, INT64, OMIT_EMPTY] = 0
    """The generation of the set that was looked at."""

    label_selector: Text = ""
    """The selector as a text, for autoscalers."""

    error_reason: Text = ""
    """What has to be changed before it can go on, as one word."""

    error_message: Text = ""
    """The same as a sentence."""

    conditions: Conditions = ()
    """What is observed."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineSet:
    """A number of Machines that are made alike."""

    spec: MachineSetSpec = Field(default_factory=MachineSetSpec)
    """What is wanted."""

    status: Annotated[MachineSetStatus, OMIT_UNSET] = Field(default_factory=MachineSetStatus)
    """Where it stands."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=MachineSet,
    plural="machinesets",
    columns=(
        Column("Desired", ".spec.replicas", "How many there are to be.", "integer"),
        Column("Current", ".status.replicas", "How many there are.", "integer"),
        Column("Ready", ".status.readyReplicas", "How many have a ready Node.", "integer"),
        Column("Available", ".status.availableReplicas", "Ready for long enough.", "integer"),
        AGE,
    ),
    scale=Scale(),
)
