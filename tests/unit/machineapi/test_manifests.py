"""Machines and MachineSets of a new cluster."""

from __future__ import annotations

import json

from ingot.kube.object import KubeObject
from ingot.machineapi.api.providerspec import Image
from ingot.machineapi.kinds import MACHINE, MACHINE_SET
from ingot.machineapi.machines.judging import judge
from ingot.machineapi.machines.linking import annotated_host
from ingot.machineapi.machinesets.counting import judge as judge_set
from ingot.machineapi.manifests import Pool, control_plane_machine, worker_set
from tests.unit.machineapi.objects import host

POOL = Pool(
    cluster="lab",
    namespace="metal3",
    image=Image(url="http://vip:6180/images/disk.img", checksum="ab" * 32, checksum_type="sha256"),
    host_labels=(("role", "worker"),),
    node_labels=(("node-role.kubernetes.io/worker", ""),),
)


def test_a_machine_of_the_control_plane_names_its_host() -> None:
    one = KubeObject(
        MACHINE, json.dumps(control_plane_machine(POOL, host="cp-1", number=1)).encode()
    )
    assert annotated_host(one) == host("cp-1", "provisioned").key


def test_machines_of_the_control_plane_are_numbered_and_labelled() -> None:
    meta = control_plane_machine(POOL, host="cp-1", number=1)["metadata"]
    assert meta["name"] == "lab-master-1"
    assert meta["labels"]["machine.openshift.io/cluster-api-machine-role"] == "master"


def test_workers_can_be_made_from_their_set() -> None:
    body = worker_set(POOL, replicas=2)
    found = KubeObject(MACHINE_SET, json.dumps(body).encode()).model
    assert found.spec.replicas == 2
    assert judge_set(found) == []
    assert judge(found.spec.template.spec, namespace="metal3") == []
    assert found.spec.template.spec.metadata.labels == {"node-role.kubernetes.io/worker": ""}


def test_user_data_is_each_hosts_own_unless_one_is_named() -> None:
    value = worker_set(POOL, replicas=1)["spec"]["template"]["spec"]["providerSpec"]["value"]
    assert "userData" not in value
    named = control_plane_machine(POOL, host="cp-0", number=0, user_data="cp-0-user-data")
    assert named["spec"]["providerSpec"]["value"]["userData"]["name"] == "cp-0-user-data"
