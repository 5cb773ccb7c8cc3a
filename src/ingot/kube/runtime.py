"""A program of controllers, from its start to its end.

Watches begin at once, so that a standby knows everything when it becomes the leader. Only the
leader's controllers run. To stop: begin nothing more, end what is under way, write the last
events, release the lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

from ingot.kube.client import KubeClient
from ingot.kube.controller import GRACE_SECONDS, Controller
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import Leadership, LeadershipLost
from ingot.kube.lease import Terms
from ingot.kube.metrics import Metrics
from ingot.kube.recording import Recorder
from ingot.kube.serving import Health
from ingot.kube.sharedwatch import Watches
from ingot.kube.stopping import finished_before

__all__ = ["Companion", "Runtime"]

Companion: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class Runtime:
    """The parts that the controllers of a program share."""

    def __init__(
        self,
        client: KubeClient,
        *,
        component: str,
        metrics: Metrics | None = None,
        namespace: str = "",
    ) -> None:
        self.client = client
        self.metrics = metrics or Metrics()
        self.watches = Watches(client, namespace=namespace)
        self.recorder = Recorder(client, self.metrics, component=component)
        self.health = Health(
            live={"ping": lambda: ""},
            ready={"watches": lambda: "; ".join(self.watches.problems())},
        )
        client.on_answer.append(self.metrics.answered)

    def leadership(
        self, lease: ObjectKey, *, terms: Terms | None = None, identity: str = ""
    ) -> Leadership:
        """Return a candidate for a lease, whose state is in the metrics."""
        self.metrics.leading(str(lease), leads=False)
        return Leadership(
            self.client,
            lease,
            identity=identity,
            terms=terms,
            on_change=lambda leads: self.metrics.leading(str(lease), leads=leads),
        )

    async def run(
        self,
        controllers: Sequence[Controller],
        stop: asyncio.Event,
        *,
        leadership: Leadership | None = None,
        companions: Sequence[Companion] = (),
        grace: float = GRACE_SECONDS,
    ) -> None:
        """Run controllers until told to stop, alone if there is a lease to lead by.

        Args:
            controllers: what acts.
            stop: set when nothing more shall be begun.
            leadership: the lease to lead by.
            companions: what runs for as long as controllers do, and ends by being cancelled.
            grace: how long what is under way has to end.

        Raises:
            LeadershipLost: nothing acts any more, and the process must end.
        """

        async def act() -> None:
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(one()) for one in companions]
                await self._lead(controllers, stop, leadership, grace)
                for task in beside:
                    task.cancel()

        try:
            async with asyncio.TaskGroup() as group:
                background = [
                    group.create_task(self.watches.run(), name="watches"),
                    group.create_task(self.recorder.run(), name="events"),
                ]
                await (leadership.run(act, stop) if leadership else act())
                for task in background:
                    task.cancel()
        except BaseExceptionGroup as several:
            raise LeadershipLost.found_in(several) or several from None

    async def _lead(
        self,
        controllers: Sequence[Controller],
        stop: asyncio.Event,
        leadership: Leadership | None,
        grace: float,
    ) -> None:
        may_act = leadership.held if leadership else lambda: True
        if not await finished_before(stop, self.watches.synced()):
            return
        async with asyncio.TaskGroup() as group:
            for controller in controllers:
                group.create_task(
                    controller.run(stop, metrics=self.metrics, may_act=may_act, grace=grace),
                    name=controller.name,
                )
        await self.recorder.flush()
