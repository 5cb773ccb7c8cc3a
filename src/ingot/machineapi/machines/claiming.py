"""How a Machine comes to a host, so that none has two and no host has two.

A Machine first writes down which host it is about to take, and then takes it; both writes hold only
for the version that was looked at. Whoever comes second, be it another Machine, another worker or a
former leader with an old view, is refused by the API server and looks again.

Two who act for the same Machine could still differ in which host they mean. So a host is taken only
if the Machine was seen to name it after the host was looked at. Who has a Machine name another one
marks the host that it named before: whoever is about to take that has looked at an older version.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from uuid import uuid4

from ingot.kube.errors import Conflict, Forbidden, Invalid, NotFound
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.providerspec import BareMetalMachineProviderSpec
from ingot.machineapi.hosts import Host, names
from ingot.machineapi.kinds import HOST, MACHINE
from ingot.machineapi.machines.choosing import choose
from ingot.machineapi.machines.judging import judge
from ingot.machineapi.machines.linking import annotated_host, hosts_of
from ingot.machineapi.machines.taking import adopted, taken
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.observing import Observation
from ingot.machineapi.parts import Parts

__all__ = ["Claimed", "Claims", "Outcome", "Unclaimed"]

log = logging.getLogger(__name__)

TRIES: Final = 20
"""How often hosts may change under our eyes before the Machine waits for its next turn."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A Machine with its host.

    Attributes:
        machine: as it is now.
        host: as it is now.
        newly: whether it was taken just now.
    """

    machine: KubeObject[Machine]
    host: KubeObject[Host]
    newly: bool = False


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """A Machine without a host.

    Attributes:
        machine: as it is now.
        why: what is to be said of it.
        needs_change: only somebody who changes or deletes the Machine can help.
    """

    machine: KubeObject[Machine]
    why: Observation
    needs_change: bool = False


Outcome: TypeAlias = Claimed | Unclaimed


class Claims:
    """The hosts of Machines."""

    def __init__(self, parts: Parts) -> None:
        self._client = parts.client
        self._machines = parts.machines
        self._hosts = parts.hosts
        self._reserved: set[ObjectKey] = set()
        """Hosts that a worker of ours is taking now; it spares the others a refusal."""

    async def host_of(self, machine: KubeObject[Machine]) -> Outcome:
        """Return the host of a Machine, taken now if it has none.

        Raises:
            Conflict: something has changed under our eyes; the next turn sees it.
        """
        known = await self._known(machine)
        if known is not None:
            return known
        spec = machine.model.spec
        if wrong := judge(spec, namespace=machine.key.namespace):
            return _mistaken(machine, "; ".join(wrong))
        value = spec.provider_spec.value
        assert value is not None  # noqa: S101 - it was judged
        return await self._claim(machine, value)

    async def _known(self, machine: KubeObject[Machine]) -> Outcome | None:
        """Return the host that a Machine has, or that it has lost it; None if it may take one."""
        settled = bool(machine.model.spec.provider_id)
        own = hosts_of(machine, self._hosts.store.within(machine.key.namespace))
        # Before anything runs on a host, one that goes is as good as gone.
        kept = [host for host in own if settled or not host.metadata.is_going]
        if kept:
            return Claimed(await self._named(machine, str(kept[0].key)), kept[0])
        named = annotated_host(machine)
        # What is known here may be old: the pair may have been made by somebody else.
        fresh = await self._fresh(named) if named else None
        if fresh is not None and names(fresh, machine.key):
            return Claimed(machine, fresh) if settled or not fresh.metadata.is_going else None
        if settled:
            return _lost(machine, named, is_there=fresh is not None)
        if fresh is not None and _is_left_to_us(fresh):
            return Claimed(machine, await self._write(fresh, adopted(machine.key, fresh)))
        return None

    async def _claim(
        self, machine: KubeObject[Machine], value: BareMetalMachineProviderSpec
    ) -> Outcome:
        named = annotated_host(machine)
        gone: set[ObjectKey] = set()
        for _ in range(TRIES):
            hosts = [
                host
                for host in self._hosts.store.within(machine.key.namespace)
                if host.key not in gone
            ]
            choice = choose(
                hosts,
                value.host_selector,
                preferred=named.name if named else "",
                reserved=self._reserved,
            )
            if not choice.candidates:
                reason = Reason.NO_FREE_HOST if choice.matched else Reason.NO_MATCHING_HOST
                return Unclaimed(
                    await self._named(machine, None),
                    _unclaimed(reason, choice.why_none(), ConditionSeverity.WARNING),
                )
            host = choice.candidates[0]
            self._reserved.add(host.key)
            try:
                machine = await self._meant(machine, host.key)
                return Claimed(machine, await self._take(machine, host, value), newly=True)
            except _Missed as missed:
                if missed.is_gone:
                    gone.add(host.key)
            except (Invalid, Forbidden) as refused:
                machine = await self._named(machine, None)
                return _mistaken(machine, refused.message, Reason.CLAIM_REFUSED)
            finally:
                self._reserved.discard(host.key)
        raise _conflict(machine.key, f"hosts have changed {TRIES} times meanwhile")

    async def _take(
        self,
        machine: KubeObject[Machine],
        host: KubeObject[Host],
        value: BareMetalMachineProviderSpec,
    ) -> KubeObject[Host]:
        try:
            return await self._write(host, taken(value, machine.key, host))
        except NotFound:
            raise _Missed(is_gone=True) from None
        except Conflict:
            fresh = await self._fresh(host.key)
            if fresh is None:
                raise _Missed(is_gone=True) from None
            if not names(fresh, machine.key):
                raise _Missed(is_gone=False) from None
            return fresh

    async def _write(self, host: KubeObject[Host], change: dict[str, Any]) -> KubeObject[Host]:
        written = await self._client.patch(HOST, host.key, change)
        self._hosts.saw(written)
        return written

    async def _fresh(self, key: ObjectKey) -> KubeObject[Host] | None:
        try:
            found = await self._client.get(HOST, key)
        except NotFound:
            return None
        self._hosts.saw(found)
        return found

    async def _meant(self, machine: KubeObject[Machine], host: ObjectKey) -> KubeObject[Machine]:
        """Have a Machine name a host now, after that was looked at.

        Raises:
            Conflict: the Machine has changed since it was read.
        """
        if machine.metadata.annotations.get(annotation.HOST) != str(host):
            return await self._named(machine, str(host))
        fresh = await self._client.get(MACHINE, machine.key)
        if fresh.metadata.resource_version != machine.metadata.resource_version:
            self._machines.saw(fresh)
            raise _conflict(machine.key, "the Machine has changed meanwhile")
        return machine

    async def _named(self, machine: KubeObject[Machine], host: str | None) -> KubeObject[Machine]:
        """Have a Machine name a host, or none.

        Raises:
            Conflict: the Machine has changed since it was read.
        """
        if machine.metadata.annotations.get(annotation.HOST) == host:
            return machine
        change = {
            "metadata": {
                "resourceVersion": machine.metadata.resource_version,
                "annotations": {annotation.HOST: host},
            }
        }
        before = annotated_host(machine)
        written = await self._client.patch(MACHINE, machine.key, change)
        self._machines.saw(written)
        if before is not None:
            await self._pass_over(before, machine.key)
        return written

    async def _pass_over(self, host: ObjectKey, machine: ObjectKey) -> None:
        """Have nobody take a host for a Machine that no longer names it.

        Raises:
            Conflict: somebody has taken it before; the Machine has it.
        """
        for _ in range(TRIES):
            fresh = await self._fresh(host)
            if fresh is None or fresh.metadata.is_going:
                return
            if names(fresh, machine):
                raise _conflict(machine, f"it has been given {host} meanwhile")
            mark = {annotation.PASSED_OVER: f"{machine} {uuid4()}"}
            version = fresh.metadata.resource_version
            change = {"metadata": {"resourceVersion": version, "annotations": mark}}
            with suppress(Conflict, NotFound):
                try:
                    await self._write(fresh, change)
                except (Invalid, Forbidden) as refused:
                    # What may not be marked may not be taken either.
                    log.info("%s: %s", host, refused.message)
                return
        raise _conflict(machine, f"{host} has changed {TRIES} times meanwhile")


class _Missed(Exception):  # noqa: N818 - it never leaves this file
    """Somebody else was faster."""

    def __init__(self, *, is_gone: bool) -> None:
        super().__init__()
        self.is_gone = is_gone


def _conflict(machine: ObjectKey, message: str) -> Conflict:
    return Conflict(f"claim of a host for {machine}", code=0, reason="Conflict", message=message)


def _is_left_to_us(host: KubeObject[Host]) -> bool:
    """Tell whether a host that a Machine names was installed for it, and has no consumer yet.

    A claim of ours writes consumer and image at once: such a host was installed by others, as those
    of the control plane are before there is a cluster.
    """
    view = host.model
    installed = view.has_work or view.spec.externally_provisioned
    return installed and view.spec.consumer_ref is None and not host.metadata.is_going


def _unclaimed(reason: Reason, message: str, severity: ConditionSeverity) -> Observation:
    return Observation(
        MachineCondition.HOST_CLAIMED,
        holds=False,
        reason=reason.value,
        message=message,
        severity=severity,
    )


def _mistaken(
    machine: KubeObject[Machine], message: str, reason: Reason = Reason.INVALID_CONFIGURATION
) -> Unclaimed:
    why = _unclaimed(reason, message, ConditionSeverity.ERROR)
    return Unclaimed(machine, why, needs_change=True)


def _lost(machine: KubeObject[Machine], host: ObjectKey | None, *, is_there: bool) -> Unclaimed:
    """Return that what a Machine ran on is gone. It never moves to another: its Node was there."""
    if is_there:
        reason, what = Reason.HOST_TAKEN, f"the host {host} no longer names this Machine"
    else:
        reason, what = Reason.HOST_GONE, f"its host {host or ''} is gone".replace("  ", " ")
    why = f"{what}: delete the Machine; a MachineSet makes another in its place"
    return Unclaimed(machine, _unclaimed(reason, why, ConditionSeverity.ERROR), needs_change=True)
