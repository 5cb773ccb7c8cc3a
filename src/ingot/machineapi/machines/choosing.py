"""Which host a Machine takes: the first free one by name that its selector matches.

The order is the same for all, so what happens can be foretold. Upstream draws lots, and two who
draw in the same second get the same number. Hosts on which the last installation never ended come
after all others, or a Machine that is deleted for that would be followed by one on the same host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.providerspec import HostSelector
from ingot.machineapi.hosts import FREE, Host
from ingot.machineapi.labels import matches

__all__ = ["Choice", "Refusal", "choose", "refusal"]


class Refusal(StrEnum):
    """Why a host is passed over, as what is said of it."""

    NOT_MATCHING = "not matched by the selector"
    GOING = "being deleted"
    IN_USE = "in use"
    PAUSED = "paused or detached"
    UNHEALTHY = "marked as unhealthy"
    FAILING = "in error"
    NOT_READY = "not available yet"


@dataclass(frozen=True, slots=True)
class Choice:
    """What there is to choose from.

    Attributes:
        candidates: hosts that may be taken, the best first.
        passed_over: how many are not, for each reason.
    """

    candidates: tuple[KubeObject[Host], ...]
    passed_over: Mapping[Refusal, int]

    @property
    def matched(self) -> bool:
        """Whether the selector matches any host at all, free or not."""
        return bool(self.candidates) or any(
            count for why, count in self.passed_over.items() if why is not Refusal.NOT_MATCHING
        )

    def why_none(self) -> str:
        """Return why there is nothing to choose, and what to do."""
        total = sum(self.passed_over.values())
        if not total:
            return "there are no hosts: add a BareMetalHost to this namespace"
        counted = ", ".join(f"{count} {why}" for why, count in sorted(self.passed_over.items()))
        hosts = "1 host" if total == 1 else f"{total} hosts"
        if not self.matched:
            return f"the selector matches none of {hosts}: correct it, or label a BareMetalHost"
        return f"no host is free ({hosts}: {counted}): add a BareMetalHost, or wait for one"


def choose(
    hosts: Iterable[KubeObject[Host]],
    selector: HostSelector,
    *,
    preferred: str = "",
    reserved: Collection[ObjectKey] = (),
) -> Choice:
    """Return the hosts that may be taken, in order.

    Args:
        hosts: those of the Machine's namespace.
        selector: which of them are meant.
        preferred: the name of one that goes first, if it may be taken.
        reserved: those that somebody is taking at this moment.
    """
    candidates, passed_over = [], Counter[Refusal]()
    for host in hosts:
        why = refusal(host, selector)
        if why is None and host.key in reserved:
            why = Refusal.IN_USE
        if why is None:
            candidates.append(host)
        else:
            passed_over[why] += 1
    candidates.sort(
        key=lambda host: (
            host.metadata.name != preferred,
            host.model.was_left_unfinished,
            host.metadata.name,
        )
    )
    return Choice(tuple(candidates), passed_over)


def refusal(host: KubeObject[Host], selector: HostSelector) -> Refusal | None:
    """Return why a host may not be taken; None if it may."""
    meta, view = host.metadata, host.model
    spec, marks = view.spec, meta.annotations
    refusals = {
        Refusal.NOT_MATCHING: not matches(selector, meta.labels),
        Refusal.GOING: meta.is_going,
        Refusal.IN_USE: spec.consumer_ref is not None
        or view.has_work
        or spec.externally_provisioned,
        Refusal.PAUSED: annotation.HOST_PAUSED in marks or annotation.HOST_DETACHED in marks,
        Refusal.UNHEALTHY: any(mark in marks for mark in annotation.HOST_UNHEALTHY),
        Refusal.FAILING: bool(view.status.error_message or view.status.error_type),
        Refusal.NOT_READY: view.state not in FREE,
    }
    return next((why for why, holds in refusals.items() if holds), None)
