"""Workers come and go by a number, with nobody but the cluster itself to see to it.

The command line and the bootstrap VM are gone by now. The tests of this file follow each other.
"""

from __future__ import annotations

import pytest

from tests.e2e.hostlife import partitions
from tests.e2e.life.names import CONTROL_PLANE, WORKERS
from tests.e2e.site import eventually
from tests.e2e.workers import ADDED, NAMESPACE, Workers

STAYS, GOES = WORKERS


@pytest.mark.last(1)
def test_every_node_has_its_machine_and_its_approved_certificates(workers: Workers) -> None:
    machines = workers.cluster.get(*NAMESPACE, "machines")["items"]
    nodes = {one["status"]["nodeRef"]["name"]: one["status"]["phase"] for one in machines}
    assert nodes == dict.fromkeys((*CONTROL_PLANE, *WORKERS), "Running")
    requests = [
        one
        for one in workers.cluster.get("csr")["items"]
        # The bootstrap VM was a node of kubeadm's own making.
        if not one["spec"]["username"].endswith("-bootstrap")
    ]
    conditions = {
        (one["spec"]["signerName"].rpartition("/")[2], condition["type"], condition["reason"])
        for one in requests
        for condition in one["status"].get("conditions", ())
    }
    assert conditions == {
        ("kube-apiserver-client-kubelet", "Approved", "IngotMachineController"),
        ("kubelet-serving", "Approved", "IngotMachineController"),
    }


@pytest.mark.last(2)
def test_an_application_answers_by_its_name_at_the_ingress_vip(workers: Workers) -> None:
    workers.open_shop()
    eventually(workers.shop_answers, within=300, every=1)


@pytest.mark.last(3)
def test_with_fewer_replicas_the_marked_one_is_drained_and_its_disk_cleaned(
    workers: Workers,
) -> None:
    lab = workers.cluster.lab
    gone = workers.machines()[GOES]["metadata"]["name"]
    assert partitions(lab, lab.host(GOES)) == "GPT"
    workers.mark_for_deletion(GOES)
    workers.scale(1)
    workers.await_free(GOES)
    workers.await_ready(STAYS)
    assert workers.nodes() == {*CONTROL_PLANE, STAYS}
    assert set(workers.machines()) == {STAYS}
    assert partitions(lab, lab.host(GOES)) == "none"
    assert any("drain" in one.lower() for one in workers.events("Machine", gone))
    eventually(workers.shop_answers, within=300, every=1)


@pytest.mark.last(4)
def test_with_more_replicas_a_free_host_becomes_a_node(workers: Workers) -> None:
    workers.scale(2)
    eventually(lambda: GOES in workers.machines(), within=120)
    # While it is written, somebody racks another server.
    workers.add_by_hand(workers.cluster.lab.host(ADDED))
    workers.await_ready(*WORKERS)
