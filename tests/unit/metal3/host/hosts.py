"""Hosts and what is seen of them, for tables: a host in a state, and answers by the goal's kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ingot.ironic.states import ProvisionState
from ingot.metal3.api import finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost, BMCDetails, HostSpec
from ingot.metal3.api.hardware import CPU, HardwareDetails, Storage
from ingot.metal3.api.hoststatus import (
    CredentialsStatus,
    HostStatus,
    OperationHistory,
    OperationTimes,
    ProvisionStatus,
)
from ingot.metal3.api.image import Image
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.references import SecretReference
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState
from ingot.metal3.host.deciding import decide
from ingot.metal3.host.decision import Decision
from ingot.metal3.host.observation import CredentialsGood, NodeSeen, Observation
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Act, Done, Failed, Progress, Waiting

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
IMAGE = Image(url="http://images/os.raw", checksum="abc")
OTHER = Image(url="http://images/other.raw", checksum="abc")
PXE = "redfish://10.0.0.9/redfish/v1/Systems/1"
MEDIA = "redfish-virtualmedia://10.0.0.9/redfish/v1/Systems/1"
GOOD = CredentialsGood("1")
HARDWARE = HardwareDetails(
    cpu=CPU(arch="x86_64"), storage=(Storage(name="/dev/sda", size_bytes=500 * 10**9),)
)
S = ProvisioningState
N = ProvisionState

NODE_STATES = {
    S.REGISTERING: N.MANAGEABLE,
    S.INSPECTING: N.MANAGEABLE,
    S.PREPARING: N.MANAGEABLE,
    S.PROVISIONED: N.ACTIVE,
    S.EXTERNALLY_PROVISIONED: N.ACTIVE,
}
"""Where a host's node normally is; available where nothing is said."""

Answers = Mapping[type, Progress[str]]


def bmc(address: str = PXE) -> BMCDetails:
    return BMCDetails(address=address, credentials_name="bmc")


def host(  # noqa: PLR0913 - all that a case may say
    state: ProvisioningState = S.AVAILABLE,
    *,
    annotations: Mapping[str, str] | None = None,
    going: float | None = None,
    provisioning: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    finalizers: tuple[str, ...] = (finalizer.HOST,),
    generation: int = 1,
    **spec: Any,  # noqa: ANN401 - any field of the spec
) -> BareMetalHost:
    """Return a host that was registered with good credentials.

    Args:
        going: for how many seconds it has been being deleted; None when it is not.
        provisioning: fields of ``status.provisioning``.
        status: fields of the status.
        spec: fields of the spec.
    """
    known = CredentialsStatus(
        credentials=SecretReference(name="bmc", namespace="metal3"), credentials_version="1"
    )
    made = {"id": "node-1", **(provisioning or {})}
    return BareMetalHost(
        metadata=Metadata(
            name="worker-0",
            namespace="metal3",
            uid="0b8f9c1e-55a4-4d5e-8f3a-0123456789ab",
            generation=generation,
            deletion_timestamp=None if going is None else NOW - timedelta(seconds=going),
            annotations=dict(annotations or {}),
            finalizers=finalizers,
        ),
        spec=HostSpec(**{"online": True, "bmc": bmc(), **spec}),
        status=HostStatus(
            **{
                "operational_status": OperationalStatus.OK,
                "provisioning": ProvisionStatus(state=state, **made),
                "good_credentials": known,
                "tried_credentials": known,
                "last_updated": NOW - timedelta(minutes=1),
                "operation_history": OperationHistory(
                    register=OperationTimes(start=NOW - timedelta(hours=1))
                ),
                **(status or {}),
            }
        ),
    )


def failed_host(state: ProvisioningState, kind: ErrorType, **said: Any) -> BareMetalHost:  # noqa: ANN401
    """Return a host whose last try failed, and whose next one is due."""
    status = {
        "operational_status": OperationalStatus.ERROR,
        "error_type": kind,
        "error_message": "it broke",
        "error_count": 1,
        **said.pop("status", {}),
    }
    return host(state, status=status, **said)


def seen(
    state: ProvisioningState = S.AVAILABLE,
    answers: Answers | None = None,
    *,
    node: NodeSeen | None = None,
    **facts: Any,  # noqa: ANN401 - any field of the observation
) -> Observation[str]:
    """Return what is seen of a host in a state: all goals are reached, but those with answers."""
    by_kind = answers or {}

    def progress_of(goal: Goal) -> Progress[str]:
        return by_kind.get(type(goal), Done())

    normal = NodeSeen(id="node-1", state=NODE_STATES.get(state, N.AVAILABLE), powered_on=True)
    values = {"credentials": GOOD, "node": node or normal, "progress_of": progress_of, **facts}
    return Observation(**values)


def unseen(**facts: Any) -> Observation[str]:  # noqa: ANN401 - any field of the observation
    """Return what is seen of a host that Ironic does not know."""
    return replace(seen(**facts), node=None)


def act(doing: str = "at it", *, begins: bool = True) -> Act[str]:
    return Act(calls=(doing,), doing=doing, seconds=10.0, begins=begins)


def wait(doing: str = "under way") -> Waiting:
    return Waiting(doing=doing, seconds=10.0)


def broken(why: str = "it broke", *, retryable: bool = True) -> Failed:
    return Failed(why=why, retryable=retryable)


def look(
    subject: BareMetalHost,
    observed: Observation[str],
    *,
    after: float = 0.0,
    settings: Settings | None = None,
) -> Decision[str]:
    """Decide, some seconds after NOW."""
    now = NOW + timedelta(seconds=after)
    return decide(subject, observed, now=now, settings=settings or Settings())


def then(subject: BareMetalHost, decision: Decision[str]) -> BareMetalHost:
    """Return the host with the decision's status and annotations."""
    meta = subject.metadata
    kept = {k: v for k, v in meta.annotations.items() if k not in decision.annotations_removed}
    return replace(subject, status=decision.status, metadata=replace(meta, annotations=kept))


def condition(decision: Decision[str], kind: str) -> tuple[str, str] | None:
    """Return a condition's status and reason."""
    for one in decision.status.conditions:
        if one.type == kind:
            return one.status.value, one.reason
    return None


def reasons(decision: Decision[str]) -> set[str]:
    return {event.reason for event in decision.events}


def counted(decision: Decision[str]) -> set[str]:
    return {count.name for count in decision.counts}
