"""What links a Machine, its host and its Node."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.machines.linking import (
    addresses,
    annotated_host,
    hosts_of,
    node_of,
    provider_id,
)
from ingot.machineapi.nodes import Node
from tests.unit.machineapi.objects import host, machine, node

OURS = ObjectKey("metal3", "worker-0")
HOST = host("host-0", status={"hardware": {"nics": [{"ip": "10.0.0.5"}]}})
ID = "baremetalhost:///metal3/host-0/uid-of-host-0"
LABELLED: dict[str, Any] = {"annotations": {"machine.openshift.io/machine": "metal3/worker-0"}}
OTHERS: dict[str, Any] = {"annotations": {"machine.openshift.io/machine": "metal3/worker-1"}}


def test_an_id_names_the_host_and_which_one_of_that_name() -> None:
    assert provider_id(HOST) == ID


@pytest.mark.parametrize(
    "found",
    [
        node("any", provider_id=ID),
        node("any", **LABELLED),
        node("host-0"),
        node("host-0", provider_id=ID.replace("uid-of-host-0", "uid-before"), **LABELLED),
    ],
    ids=["id", "annotation", "name", "restored host"],
)
def test_a_node_is_found_by(found: KubeObject[Node]) -> None:
    assert node_of(OURS, HOST, [node("stranger", addresses=("10.0.0.9",)), found]) is found


@pytest.mark.parametrize(
    "other",
    [
        node("host-0", provider_id="baremetalhost:///metal3/host-1/uid-of-host-1"),
        node("host-0", provider_id=ID.replace("uid-of-host-0", "uid-before")),
        node("host-0", **OTHERS),
        node("stranger"),
        node("stranger", addresses=("10.0.0.5",)),
    ],
    ids=["another id", "an earlier host", "another Machine", "name", "address"],
)
def test_a_node_is_not_taken_for(other: KubeObject[Node]) -> None:
    assert node_of(OURS, HOST, [other]) is None


def test_an_id_counts_more_than_a_name() -> None:
    by_name, by_id = node("host-0"), node("renamed", provider_id=ID)
    assert node_of(OURS, HOST, [by_name, by_id]) is by_id


def test_of_two_with_the_same_id_the_one_with_the_hosts_name_is_ours() -> None:
    ours = node("host-0", provider_id=ID)
    assert node_of(OURS, HOST, [node("a-rogue", provider_id=ID), ours]) is ours


def test_addresses_are_the_hosts_name_and_what_inspection_saw() -> None:
    nics = [{"ip": "10.0.0.5"}, {"ip": "fe80::1"}, {"ip": ""}, {"ip": "10.0.0.5"}, {"mac": "x"}]
    seen = host("host-0", status={"hardware": {"nics": nics, "hostname": "localhost"}})
    assert [(one.type, one.address) for one in addresses(seen)] == [
        ("Hostname", "host-0"),
        ("InternalDNS", "host-0"),
        ("InternalIP", "10.0.0.5"),
    ]


def test_the_host_that_a_machine_names_comes_before_others_that_name_it() -> None:
    one = machine(annotations={"metal3.io/BareMetalHost": "metal3/b"})
    hosts = [host("a", consumer="worker-0"), host("b", consumer="worker-0"), host("c")]
    assert [found.key.name for found in hosts_of(one, hosts)] == ["b", "a"]


def test_a_host_of_another_kind_of_consumer_is_not_ours() -> None:
    reference = {"kind": "Metal3Machine", "name": "worker-0", "namespace": "metal3"}
    assert hosts_of(machine(), [host(spec={"consumerRef": reference})]) == ()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("metal3/host-0", ObjectKey("metal3", "host-0")),
        ("host-0", ObjectKey("metal3", "host-0")),
        ("", None),
    ],
)
def test_a_machine_names_its_host(said: str, meant: ObjectKey | None) -> None:
    one = machine(annotations={"metal3.io/BareMetalHost": said})
    assert annotated_host(one) == meant
