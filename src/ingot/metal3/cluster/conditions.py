"""What `Provisioning` tells of metal3: Available, Progressing, Degraded. A pure decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.api.conditions import Condition, ConditionStatus
from ingot.metal3.cluster.situation import COPIES, Situation

__all__ = ["Reason", "Rollout", "conditions"]

_TYPES: Final = ("Available", "Progressing", "Degraded")


class Reason(StrEnum):
    """Why things are as they are."""

    AS_EXPECTED = "AsExpected"
    BOOTSTRAP = "BootstrapProvisions"
    COPYING = "CopyingImages"
    DEPLOYING = "DeployingMetal3"
    INVALID = "InvalidConfiguration"
    PAUSED = "Paused"
    STUCK = "DeploymentDoesNotProgress"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A Deployment, as it is.

    Attributes:
        current: its status speaks of what was last asked for.
        available: pods that serve.
        stuck: why it does not go on; "" if it does.
        wanted: pods that were asked for.
    """

    current: bool = False
    available: int = 0
    stuck: str = ""
    wanted: int = 0

    @classmethod
    def of(cls, found: KubeObject[Content] | None) -> Rollout:
        """Return what a Deployment says of itself."""
        if found is None:
            return cls()
        status: dict[str, Any] = found.content.get("status", {})
        stuck = [
            str(one.get("message", ""))
            for one in status.get("conditions", ())
            if one.get("reason") == "ProgressDeadlineExceeded" or one["type"] == "ReplicaFailure"
        ]
        replicas = int(found.content.get("spec", {}).get("replicas", 1))
        seen = int(status.get("observedGeneration", 0)) >= found.metadata.generation
        return cls(
            current=seen and int(status.get("updatedReplicas", 0)) >= replicas,
            available=int(status.get("availableReplicas", 0)),
            stuck="; ".join(stuck),
            wanted=replicas,
        )

    @property
    def serves(self) -> bool:
        """Whether a pod serves, and as it was last asked to."""
        return self.current and self.available > 0


@dataclass(frozen=True, slots=True)
class _State:
    reason: Reason
    message: str
    available: bool
    progressing: bool = False
    degraded: bool = False


def conditions(  # noqa: PLR0913 - each by its name
    earlier: Sequence[Condition],
    *,
    wrong: str,
    paused: bool,
    situation: Situation,
    metal3: Rollout,
    images: Rollout,
    unserved: Sequence[str],
    generation: int,
    now: datetime,
) -> tuple[Condition, ...]:
    """Return the conditions; the time of each is that of its last change.

    Args:
        earlier: as they were.
        wrong: why what is asked for cannot be done; "" if it can.
        paused: somebody asked us to leave everything as it is.
        situation: where the cluster stands.
        metal3: the services.
        images: the copies of the images.
        unserved: fields that are set and have no effect.
        generation: of the object that was looked at.
        now: the time.
    """
    state = _state(wrong, paused=paused, situation=situation, metal3=metal3, images=images)
    said = state.message
    if unserved:
        said = f"{said}; without effect here: {', '.join(unserved)}"
    holds = (state.available, state.progressing, state.degraded)
    before = {one.type: one for one in earlier}
    found = []
    for name, true in zip(_TYPES, holds, strict=True):
        status = ConditionStatus.TRUE if true else ConditionStatus.FALSE
        old = before.get(name)
        since = old.last_transition_time if old and old.status is status else now
        found.append(
            Condition(
                type=name,
                status=status,
                reason=state.reason.value,
                message=said,
                last_transition_time=since,
                observed_generation=generation,
            )
        )
    return tuple(found)


def _state(  # noqa: PLR0911 - a table
    wrong: str, *, paused: bool, situation: Situation, metal3: Rollout, images: Rollout
) -> _State:
    serving = metal3.available > 0
    if wrong:
        kept = "; what was there before stays" if serving else ""
        return _State(Reason.INVALID, f"{wrong}{kept}", serving, degraded=True)
    if paused:
        return _State(Reason.PAUSED, "changes are not acted on", serving)
    if situation.bootstrap:
        copied = "; its images are copied" if images.available else ""
        text = f"the bootstrap VM provisions until the hand-over{copied}"
        return _State(Reason.BOOTSTRAP, text, available=False, progressing=True)
    if metal3.serves:
        copies = min(COPIES, situation.nodes)
        text = f"metal3 serves; {images.available} of {copies} copies of the images"
        if images.available < copies:
            return _State(Reason.COPYING, text, available=True, progressing=True)
        return _State(Reason.AS_EXPECTED, text, available=True)
    if stuck := metal3.stuck or images.stuck:
        text = f"metal3 does not start: {stuck}"
        return _State(Reason.STUCK, text, serving, progressing=True, degraded=True)
    if not images.available:
        text = "no copy of the images is there yet"
        return _State(Reason.COPYING, text, serving, progressing=True)
    return _State(Reason.DEPLOYING, "metal3 is starting", serving, progressing=True)
