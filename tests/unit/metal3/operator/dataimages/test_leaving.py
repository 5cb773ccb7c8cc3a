"""How a DataImage leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.ironic.node import NodeId, NodeStatus
from ingot.ironic.states import ProvisionState
from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ProvisioningState as S
from ingot.metal3.host.settings import Delays
from ingot.metal3.operator.dataimages.leaving import (
    Drive,
    Empty,
    Parting,
    Release,
    Wait,
    parting,
)
from tests.unit.metal3.host.hosts import host

DELAYS = Delays()
NODE = NodeId("node-1")


def node(state: ProvisionState) -> NodeStatus:
    return NodeStatus.read({"uuid": "node-1", "provision_state": state.value})


ACTIVE = Drive(used=True, ironic_ready=True, node=node(ProvisionState.ACTIVE), fresh=True)
UNKNOWN = replace(ACTIVE, node=None)
DETACHED = {annotation.DETACHED: ""}


@pytest.mark.parametrize(
    ("subject", "drive", "how"),
    [
        (host(S.PROVISIONED), replace(ACTIVE, used=False), Release()),
        (host(S.PROVISIONED), ACTIVE, Wait()),
        (host(S.EXTERNALLY_PROVISIONED), ACTIVE, Wait()),
        (host(S.PROVISIONED), replace(ACTIVE, ironic_ready=False), Wait(DELAYS.ironic_not_ready)),
        (host(S.PROVISIONED), replace(UNKNOWN, fresh=False), Wait(DELAYS.short)),
        (host(S.PROVISIONED, annotations=DETACHED), ACTIVE, Release("its host is detached")),
        (host(S.PROVISIONED), UNKNOWN, Release("Ironic does not know its host")),
        (
            host(S.UNMANAGED, provisioning={"id": ""}),
            replace(UNKNOWN, fresh=False),
            Release("Ironic does not know its host"),
        ),
        (
            host(S.DEPROVISIONING),
            replace(ACTIVE, node=node(ProvisionState.CLEANING)),
            Wait(DELAYS.long),
        ),
        (host(S.AVAILABLE), replace(ACTIVE, node=node(ProvisionState.AVAILABLE)), Empty(NODE)),
        (
            host(S.DEPROVISIONING),
            replace(ACTIVE, node=node(ProvisionState.CLEAN_FAILED)),
            Empty(NODE),
        ),
        (host(S.PROVISIONED, going=1), ACTIVE, Empty(NODE)),
    ],
)
def test_a_data_image_goes_when_its_drive_is_empty_or_cannot_be_emptied(
    subject: BareMetalHost, drive: Drive, how: Parting
) -> None:
    assert parting(subject, drive, DELAYS) == how
