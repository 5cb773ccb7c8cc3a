"""What of metal3 may run in the cluster, by where it stands."""

from __future__ import annotations

import pytest

from ingot.assets.hosts import CONTROL_PLANE as HOST_LABEL
from ingot.assets.hosts import PAUSED_BY as PAUSED_BY_INSTALLER
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.names import BOOTSTRAP, PAUSED_BY
from ingot.metal3.cluster.situation import HOST_ROLE, look
from ingot.onprem.monitor.nodewatch import BOOTSTRAP as NODE_LABEL
from tests.unit.metal3.cluster.seen import bootstrap, host, node

HOSTS = [host("cp-0"), host("cp-1"), host("cp-2"), host("worker-0", leads=False)]
WORKER = node("worker-0", label="node-role.kubernetes.io/worker")


THREE = [node("cp-0"), node("cp-1"), node("cp-2")]
LIMPING = [node("cp-0"), node("cp-1"), node("cp-2", ready=False)]


@pytest.mark.parametrize(
    ("nodes", "asked", "serves", "copies", "pods"),
    [
        pytest.param([bootstrap()], 0, False, 0, 0, id="the VM is alone"),
        pytest.param([bootstrap(), node("cp-0")], 0, False, 0, 0, id="one server has joined"),
        pytest.param([bootstrap(), *LIMPING], 0, False, 0, 0, id="one server is not ready"),
        pytest.param([bootstrap(), *THREE], 0, False, 1, 0, id="all have joined: it is copied"),
        pytest.param([bootstrap(), *LIMPING], 1, False, 1, 0, id="copying is not given up"),
        pytest.param(THREE, 1, False, 1, 1, id="the VM is gone: metal3 runs where the copy is"),
        pytest.param(THREE, 1, True, 2, 1, id="metal3 serves: there is a second copy"),
        pytest.param(LIMPING, 2, False, 2, 1, id="a node away makes no difference"),
        pytest.param([node("cp-0"), WORKER], 1, True, 1, 1, id="of one node there is one copy"),
    ],
)
def test_what_runs(
    nodes: list[KubeObject[Content]], asked: int, copies: int, pods: int, *, serves: bool
) -> None:
    seen = look(nodes, HOSTS, copies_asked=asked, serves=serves)
    assert (seen.copies, seen.pods) == (copies, pods)


def test_the_words_are_those_of_who_writes_them() -> None:
    assert BOOTSTRAP == NODE_LABEL
    assert PAUSED_BY == PAUSED_BY_INSTALLER
    assert HOST_ROLE == HOST_LABEL
