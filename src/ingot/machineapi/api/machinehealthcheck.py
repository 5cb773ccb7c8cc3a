"""MachineHealthCheck: which Machines are watched over, and when one counts as unhealthy."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Column, Definition
from ingot.kube.crd.wire import (
    INT32,
    OMIT_UNSET,
    STORED_DEFAULT,
    WIRE,
    Many,
    Publish,
    map_by,
)
from ingot.machineapi.api.conditions import Conditions, ConditionStatus
from ingot.machineapi.api.machine import ObjectReference
from ingot.machineapi.api.machineset import LabelSelector
from ingot.machineapi.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "HealthCheckSpec",
    "HealthCheckStatus",
    "MachineHealthCheck",
    "PowerCycle",
    "UnhealthyCondition",
]

DURATION: Final = Field(pattern=r"^(0|([0-9]+(\.[0-9]+)?(ms|s|m|h))+)$")
COUNT_OR_SHARE: Final = Publish({"pattern": "^((100|[0-9]{1,2})%|[0-9]+)$"})


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class UnhealthyCondition:
    """A condition of a Node that it must not have for long."""

    type: Annotated[str, Field(min_length=1)]
    """The condition's type, such as `Ready`."""

    status: ConditionStatus
    """What is unhealthy: `True`, `False` or `Unknown`."""

    timeout: Annotated[str, DURATION]
    """For how long it may be so, such as `5m`."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PowerCycle:
    """How a Machine is healed. Ours; upstream has it in a template of its own."""

    retry_limit: Annotated[int, Field(ge=1, le=10), INT32, STORED_DEFAULT] = 1
    """How often a server is turned off and on before its Machine is replaced."""

    timeout: Annotated[str, DURATION, STORED_DEFAULT] = "15m"
    """How long a server may take to be turned off, and how long to be a healthy node again; at
    least 100 seconds."""

    at_once: Annotated[int, Field(ge=1), INT32, STORED_DEFAULT] = 1
    """How many Machines of this check are healed at once; of the control plane never more than
    one."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HealthCheckSpec:
    """What is watched over."""

    selector: LabelSelector
    """Which Machines; an empty one means all of the namespace."""

    unhealthy_conditions: Annotated[
        tuple[UnhealthyCondition, ...], Field(min_length=1), map_by("type", "status")
    ]
    """What makes a Machine unhealthy; one is enough."""

    max_unhealthy: Annotated[int | str, COUNT_OR_SHARE, STORED_DEFAULT] = "100%"
    """With more unhealthy Machines than so many, or than this share of all, nothing is begun: then
    it is not the machines that are sick."""

    node_startup_timeout: Annotated[str, DURATION, STORED_DEFAULT] = "20m"
    """How long a server that has been provisioned may take to become a Node; `0` means any time."""

    power_cycle: PowerCycle = Field(default_factory=PowerCycle)
    """How a Machine is healed."""

    remediation_template: ObjectReference | None = None
    """Without effect: Machines are healed by their power."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class HealthCheckStatus:
    """What was seen."""

    expected_machines: Annotated[int, INT32] | None = None
    """How many Machines are watched over."""

    current_healthy: Annotated[int, INT32] | None = None
    """How many of them are healthy."""

    remediations_allowed: Annotated[int, INT32] | None = None
    """How many more may become unhealthy before nothing is begun."""

    healing: Many[str] = ()
    """The Machines that are being healed."""

    conditions: Conditions = ()
    """What is observed."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class MachineHealthCheck:
    """Heals Machines whose Nodes are unhealthy for too long."""

    spec: HealthCheckSpec
    """What is watched over."""

    status: Annotated[HealthCheckStatus, OMIT_UNSET] = Field(default_factory=HealthCheckStatus)
    """What was seen."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=MachineHealthCheck,
    plural="machinehealthchecks",
    short_names=("mhc", "mhcs"),
    columns=(
        Column("MaxUnhealthy", ".spec.maxUnhealthy", "With more, nothing is begun."),
        Column("ExpectedMachines", ".status.expectedMachines", "How many there are.", "integer"),
        Column("CurrentHealthy", ".status.currentHealthy", "How many are healthy.", "integer"),
        Column("Healing", ".status.healing", "Those that are being healed.", priority=1),
        AGE,
    ),
)
