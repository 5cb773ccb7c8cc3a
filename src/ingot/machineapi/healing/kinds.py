"""The kind of MachineHealthChecks, and what one means for a Machine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from ingot.kube.kind import Kind
from ingot.machineapi.api.machinehealthcheck import HealthCheckSpec, MachineHealthCheck, PowerCycle
from ingot.machineapi.api.wire import GROUP, VERSION
from ingot.machineapi.healing.duration import duration
from ingot.machineapi.healing.judging import Limits

__all__ = ["HEALTH_CHECK", "Rules"]

HEALTH_CHECK: Final = Kind.of_model(
    MachineHealthCheck, group=GROUP, version=VERSION, plural="machinehealthchecks"
)

SHORTEST: Final = timedelta(seconds=100)
"""No server is turned off and becomes a node again in less; upstream's limit too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a check says of how Machines are judged and healed.

    Attributes:
        limits: for how long things may be bad.
        retry_limit: how often a server is turned off and on.
        timeout: how long turning off, and coming back, may take.
        at_once: how many are healed at once.
    """

    limits: Limits
    retry_limit: int
    timeout: timedelta
    at_once: int

    @classmethod
    def of(cls, spec: HealthCheckSpec) -> Rules:
        """Return the rules of a check."""
        startup = duration(spec.node_startup_timeout)
        return cls._with(
            Limits(
                {
                    (one.type, one.status.value): duration(one.timeout)
                    for one in spec.unhealthy_conditions
                },
                startup or None,
            ),
            spec.power_cycle,
        )

    @classmethod
    def orphaned(cls) -> Rules:
        """Return what holds for a healing whose check is gone: it is brought to its end."""
        at_once = timedelta(0)
        never_ready = {("Ready", "False"): at_once, ("Ready", "Unknown"): at_once}
        return cls._with(Limits(never_ready, None), PowerCycle())

    @classmethod
    def _with(cls, limits: Limits, cycle: PowerCycle) -> Rules:
        return cls(
            limits=limits,
            retry_limit=cycle.retry_limit,
            timeout=max(SHORTEST, duration(cycle.timeout)),
            at_once=cycle.at_once,
        )
