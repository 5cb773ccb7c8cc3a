"""The controller of kubelets' requests for certificates.

It shares its loop with whoever renews the lease. So in a flood nothing is read, not even the
request that is looked at, and between two requests the others have their turn.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol

from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.approving.judging import SIGNERS, flooded, judge, patience
from ingot.machineapi.approving.pending import Pending
from ingot.machineapi.approving.request import (
    REQUESTS,
    SERVING_SIGNER,
    Request,
    is_pending,
    signer_of,
)
from ingot.machineapi.approving.serving import Served
from ingot.machineapi.approving.verdict import Approve, Deny, Verdict, Wait
from ingot.machineapi.approving.world import Policy, World
from ingot.machineapi.parts import Parts
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeSeen, moment

__all__ = ["ApprovingRoom", "PresentCertificates"]

log = logging.getLogger(__name__)

APPROVED: Final = "CertificateApproved"
DENIED: Final = "CertificateDenied"
WAITING: Final = "CertificateWaiting"
REASON: Final = "IngotMachineController"


class PresentCertificates(Protocol):
    """What tells what a kubelet's present certificate is for."""

    async def served(self, node: str, addresses: frozenset[str]) -> Served | None:
        """Return it; None where there is no good one."""


class ApprovingRoom:
    """Approves and denies.

    Args:
        parts: what all controllers share.
        policy: what the site allows.
        present: what tells kubelets' present certificates; None where they cannot be reached.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        policy: Policy | None = None,
        present: PresentCertificates | None = None,
    ) -> None:
        self._parts = parts
        self._policy = policy or Policy()
        self._present = present
        self._requests = parts.runtime.watches.of(REQUESTS)
        self._machines, self._hosts, self._nodes = parts.machines, parts.hosts, parts.nodes
        self._pending = Pending()
        # Before the controller hears of a request, it is counted.
        self._requests.subscribe(self._pending.heard)

    def controllers(self) -> list[Controller]:
        """Return the controller of requests."""
        return [
            Controller(
                name="certificatesigningrequest",
                reconcile=self.reconcile,
                sources=[Source(self._requests)],
                workers=2,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Decide about a request, if it is a kubelet's and nobody has."""
        found = self._requests.store.get(key)
        if found is None or signer_of(found) not in SIGNERS or not is_pending(found):
            return Result.done()
        # Where nothing else is waited for, a batch of requests would have the loop to itself.
        await asyncio.sleep(0)
        verdict = await self._judged(found)
        match verdict:
            case Approve(why):
                await self._decide(found, "Approved", why)
                self._tell(found, APPROVED, why)
                return Result.done()
            case Deny(why):
                await self._decide(found, "Denied", why)
                self._tell(found, DENIED, why, severity=Severity.WARNING)
                return Result.done()
            case Wait(why):
                self._tell(found, WAITING, why, severity=Severity.WARNING)
                created = moment(found.metadata.creation_timestamp)
                return Result.again_in(patience(created, self._parts.now()))

    async def _judged(self, found: KubeObject[Content]) -> Verdict:
        kubelets = max(len(self._machines.store), len(self._nodes.store))
        if flood := flooded(self._pending, kubelets=kubelets, now=self._parts.now()):
            return Wait(flood)
        request, world = Request.of(found), self._world()
        verdict = judge(request, world)
        if isinstance(verdict, Wait) and request.signer == SERVING_SIGNER and self._present:
            node = world.nodes.get(request.requester)
            if node is not None:
                served = await self._present.served(node.name, node.addresses)
                verdict = judge(request, world, served=served)
        return verdict

    def _world(self) -> World:
        return World(
            machines={one.key: MachineSeen.of(one) for one in self._machines.store},
            hosts={one.key: HostSeen.of(one) for one in self._hosts.store},
            nodes={one.metadata.name: NodeSeen.of(one) for one in self._nodes.store},
            now=self._parts.now(),
            policy=self._policy,
        )

    async def _decide(self, found: KubeObject[Content], kind: str, why: str) -> None:
        """Write what was decided; a Conflict means that somebody else was faster."""
        body = found.content
        now = self._parts.now().isoformat(timespec="seconds").replace("+00:00", "Z")
        condition = {
            "type": kind,
            "status": "True",
            "reason": REASON,
            "message": why,
            "lastUpdateTime": now,
        }
        status = body.setdefault("status", {})
        status["conditions"] = [*status.get("conditions", ()), condition]
        replaced = await self._parts.client.replace(REQUESTS, body, subresource="approval")
        self._requests.saw(replaced)

    def _tell(
        self,
        found: KubeObject[Content],
        reason: str,
        why: str,
        *,
        severity: Severity = Severity.NORMAL,
    ) -> None:
        user = found.content["spec"].get("username", "")
        level = logging.DEBUG if reason == WAITING else logging.INFO
        log.log(level, "%s of %s: %s, %s", found.metadata.name, user, reason, why)
        self._parts.recorder.record(found, reason, why, severity=severity)
