"""What is being done with a server, in words: from its BareMetalHost, its Node and its own reports.

The operator says it in the condition `Progressing`. Where all that it has to say is Ironic's word
for the state of the node, that is put into words of a person here. Once the image is written the
operator has nothing more to tell, and the server speaks for itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ingot.ironic.states import ProvisionState
from ingot.metal3.api.annotation import PAUSED
from ingot.metal3.api.conditions import HostCondition
from ingot.metal3.api.states import ProvisioningState

__all__ = ["SENT", "image_was_sent", "is_claimed", "is_ready", "step_of"]

PAUSED_STEP: Final = "waits for the hand-over"
BOOTING: Final = "boots from its disk"
JOINED: Final = "is a node"
NOT_READY: Final = "is a node, and not Ready yet"
SENT: Final = "has its image; its agent ends the work"
FREE: Final = "is free"
CLAIMED: Final = "is claimed by a Machine, and waits for its image"

_WORDS: Final[Mapping[str, str]] = {
    ProvisionState.VERIFYING: "its BMC is asked",
    ProvisionState.INSPECTING: "the inspection begins",
    ProvisionState.INSPECT_WAIT: "its agent looks at the hardware",
    ProvisionState.CLEANING: "the cleaning begins",
    ProvisionState.CLEAN_WAIT: "its agent cleans the disks",
    ProvisionState.DEPLOYING: "Ironic begins or ends the deployment",
    ProvisionState.DEPLOY_WAIT: "its agent is at work",
    ProvisionState.ACTIVE: "the deployment is done",
}

_WRITTEN: Final = frozenset(
    {ProvisioningState.PROVISIONED, ProvisioningState.EXTERNALLY_PROVISIONED}
)

_CLEAN: Final = frozenset({ProvisioningState.AVAILABLE, ProvisioningState.READY})

Json = Mapping[str, Any]


def step_of(host: Json, *, node: Json | None, report: Json | None, share: float | None) -> str:
    """Return what is being done with a server; empty where nothing is known of that.

    Args:
        host: its BareMetalHost.
        node: its Node, once it is one.
        report: what it said last of its joining.
        share: of its image that it has taken.
    """
    if node is not None:
        return JOINED if is_ready(node) else NOT_READY
    status = host.get("status", {})
    if status.get("provisioning", {}).get("state") in _WRITTEN:
        return _joining(report)
    if PAUSED in host["metadata"].get("annotations", {}):
        return PAUSED_STEP
    if share is not None:
        return "writing the image"
    said = _progressing(status) or _standing(host)
    return _WORDS.get(said, said)


def is_claimed(host: Json) -> bool:
    """Return whether a Machine has taken a server."""
    return bool(host.get("spec", {}).get("consumerRef"))


def is_ready(node: Json) -> bool:
    """Return whether a Node is Ready."""
    conditions = node.get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def image_was_sent(step: str) -> str:
    """Return the step of a server that was seen to take its image, and takes no more."""
    return SENT if step == _WORDS[ProvisionState.DEPLOY_WAIT] else step


def _joining(report: Json | None) -> str:
    if not report or not report.get("message"):
        return BOOTING
    verb = "failed" if report.get("failed") else "joins"
    return f"{verb}: {report['message']}"


def _progressing(status: Json) -> str:
    conditions = status.get("conditions", ())
    said = (one for one in conditions if one.get("type") == HostCondition.PROGRESSING)
    return next((str(one.get("message", "")) for one in said), "")


def _standing(host: Json) -> str:
    """Return how a server stands with which nothing is being done."""
    if host.get("status", {}).get("provisioning", {}).get("state") not in _CLEAN:
        return ""
    if is_claimed(host):
        return CLAIMED
    return "" if host.get("spec", {}).get("image") else FREE
