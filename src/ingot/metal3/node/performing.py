"""Calls made for real. All that is decided has been decided before."""

from __future__ import annotations

from typing import assert_never

from ingot.errors import ExitCode, IngotError
from ingot.ironic.client import Ironic
from ingot.ironic.node import Node, NodeId
from ingot.metal3.node import calls

__all__ = ["NotValidError", "perform"]


class NotValidError(IngotError):
    """A node lacks what its next deployment needs.

    Attributes:
        node: which one.
        reasons: what is missing, by the interface that misses it.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, node: NodeId, reasons: dict[str, str]) -> None:
        said = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        super().__init__(
            f"node {node} cannot be deployed: {said}",
            remedy="correct the image, the ramdisk or the BMC address that it names",
        )
        self.node = node
        self.reasons = reasons


async def perform(ironic: Ironic, call: calls.Call) -> Node | None:  # noqa: C901, PLR0912
    """Make a call, and return the node where Ironic shows it in its answer.

    Raises:
        IronicError: it failed.
        NotValidError: a validation found something missing.
    """
    match call:
        case calls.CreateNode():
            return await ironic.nodes.create(call.fields)
        case calls.PatchNode():
            return await ironic.nodes.patch(call.node, call.operations)
        case calls.CreatePort():
            await ironic.ports.create(call.node, call.address, pxe_enabled=call.pxe_enabled)
        case calls.DeletePort():
            await ironic.ports.delete(call.port)
        case calls.Ask():
            await ironic.driving.ask(call.node, call.verb)
        case calls.Validate():
            await _validate(ironic, call)
        case calls.Deploy():
            await ironic.driving.deploy(call.node, config_drive=call.config_drive, steps=call.steps)
        case calls.Clean():
            await ironic.driving.clean(call.node, call.steps)
        case calls.Service():
            await ironic.driving.service(call.node, call.steps)
        case calls.SetPower():
            await ironic.driving.power(call.node, call.target, timeout_seconds=call.timeout_seconds)
        case calls.WantRaid():
            await ironic.driving.want_raid(call.node, call.target)
        case calls.SetMaintenance():
            await ironic.driving.set_maintenance(call.node, call.reason)
        case calls.ClearMaintenance():
            await ironic.driving.clear_maintenance(call.node)
        case calls.DeleteNode():
            await ironic.nodes.delete(call.node)
        case _:
            assert_never(call)
    return None


async def _validate(ironic: Ironic, call: calls.Validate) -> None:
    verdicts = await ironic.driving.validate(call.node)
    missing = {
        name: verdicts[name].reason
        for name in call.interfaces
        if name in verdicts and not verdicts[name].good
    }
    if missing:
        raise NotValidError(call.node, missing)
