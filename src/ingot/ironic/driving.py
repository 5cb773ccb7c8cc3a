"""What is done to a server through its node: provision states, power, RAID, maintenance.

Every one of these calls only starts something. That it has been accepted is all they say; how it
goes is seen in the node's status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingot.ironic.document import Json, text_or_none
from ingot.ironic.lanes import Speed
from ingot.ironic.node import NodeId
from ingot.ironic.nodes import node_path
from ingot.ironic.states import PowerTarget, Verb
from ingot.ironic.transport import Transport

__all__ = ["ConfigDrive", "Driving", "Step", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDrive:
    """What a deployed server finds on its partition `config-2`; Ironic makes the file system."""

    meta_data: Mapping[str, Json]
    user_data: str | None = field(default=None, repr=False)
    network_data: Mapping[str, Json] | None = None

    def body(self) -> dict[str, Json]:
        """Return it as Ironic takes it."""
        said: dict[str, Json] = {"meta_data": dict(self.meta_data)}
        if self.user_data is not None:
            said["user_data"] = self.user_data
        if self.network_data is not None:
            said["network_data"] = dict(self.network_data)
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of cleaning, deploying or servicing.

    Attributes:
        interface: what it belongs to: `deploy`, `raid`, `bios`, `firmware`…
        step: its name.
        args: its arguments.
        priority: its place among the steps of a deployment; cleaning and servicing keep the order
            in which steps are given.
    """

    interface: str
    step: str
    args: Mapping[str, Json] = field(default_factory=dict, repr=False)
    priority: int | None = None

    def body(self) -> dict[str, Json]:
        """Return it as Ironic takes it."""
        said: dict[str, Json] = {
            "interface": self.interface, "step": self.step, "args": dict(self.args)
        }  # fmt: skip
        if self.priority is not None:
            said["priority"] = self.priority
        return said


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one interface of a node has all that it needs; if not, why."""

    good: bool
    reason: str = ""


class Driving:
    """Calls that make a node do something."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def ask(self, node: NodeId, verb: Verb) -> None:
        """Ask for a change of provision state that needs no more than its name."""
        await self._provision(node, {"target": verb.value})

    async def deploy(
        self,
        node: NodeId,
        *,
        config_drive: ConfigDrive | None = None,
        steps: Sequence[Step] = (),
    ) -> None:
        """Write the image that `instance_info` names to the disk, and boot from it."""
        body: dict[str, Json] = {"target": "active"}
        if config_drive is not None:
            body["configdrive"] = config_drive.body()
        if steps:
            body["deploy_steps"] = [step.body() for step in steps]
        # Ironic asks the image server before it accepts.
        await self._provision(node, body, speed=Speed.SLOW)

    async def clean(self, node: NodeId, steps: Sequence[Step]) -> None:
        """Run steps on a manageable node."""
        await self._provision(
            node, {"target": "clean", "clean_steps": [step.body() for step in steps]}
        )

    async def service(self, node: NodeId, steps: Sequence[Step]) -> None:
        """Run steps on an active node, which stays deployed."""
        await self._provision(
            node, {"target": "service", "service_steps": [step.body() for step in steps]}
        )

    async def power(
        self, node: NodeId, target: PowerTarget, *, timeout_seconds: int | None = None
    ) -> None:
        """Switch a node's power.

        Args:
            node: which one.
            target: to what.
            timeout_seconds: how long Ironic waits for it; a server that is asked to shut down by
                itself may take long.
        """
        body: dict[str, Json] = {"target": target.value}
        if timeout_seconds is not None:
            body["timeout"] = timeout_seconds
        await self._put(node, "/states/power", body)

    async def want_raid(self, node: NodeId, target: Mapping[str, Json]) -> None:
        """Say which RAID the steps of cleaning are to make; nothing is done yet."""
        await self._put(node, "/states/raid", dict(target))

    async def set_maintenance(self, node: NodeId, reason: str) -> None:
        """Have Ironic leave a node alone."""
        await self._put(node, "/maintenance", {"reason": reason})

    async def clear_maintenance(self, node: NodeId) -> None:
        """Have Ironic look after a node again."""
        await self._transport.call(
            "DELETE", f"{node_path(node)}/maintenance", read=_nothing, host=node
        )

    async def validate(self, node: NodeId) -> dict[str, Verdict]:
        """Return of each interface whether it has all that it needs, by its name."""
        return await self._transport.call(
            "GET",
            f"{node_path(node)}/validate",
            read=_verdicts,
            host=node,
            speed=Speed.SLOW,  # it may ask the BMC and the image server
        )

    async def _provision(
        self, node: NodeId, body: dict[str, Json], *, speed: Speed = Speed.QUICK
    ) -> None:
        await self._put(node, "/states/provision", body, speed=speed)

    async def _put(
        self, node: NodeId, path: str, body: dict[str, Json], *, speed: Speed = Speed.QUICK
    ) -> None:
        await self._transport.call(
            "PUT", f"{node_path(node)}{path}", read=_nothing, host=node, body=body, speed=speed
        )


def _verdicts(answer: Json) -> dict[str, Verdict]:
    if not isinstance(answer, dict):
        raise TypeError("the answer is no object")
    return {
        name: Verdict(bool(said.get("result")), text_or_none(said, "reason") or "")
        for name, said in answer.items()
        if isinstance(said, dict)
    }


def _nothing(answer: Json) -> None:
    del answer
