"""The first certificate of a kubelet as a client."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ingot.kube.joiners import group_of, host_in
from ingot.kube.kind import ObjectKey
from ingot.machineapi.approving.judging import judge
from ingot.machineapi.approving.verdict import Approve, Deny, Wait
from ingot.machineapi.approving.world import World
from tests.unit.machineapi.approving.asking import (
    NAME,
    NODE_GROUPS,
    NOW,
    csr,
    first,
    host,
    machine,
    node,
    world,
)


def test_a_provisioned_host_of_a_machine_gets_its_certificate() -> None:
    verdict = judge(first(), world())
    assert isinstance(verdict, Approve)
    assert "metal3/workers-abc" in verdict.why


@pytest.mark.parametrize("name", ["worker-0", "worker-0.rack-1.example.com", "a"])
def test_a_hosts_name_survives_its_group(name: str) -> None:
    assert host_in(frozenset({"system:bootstrappers", group_of(name)})) == name


def test_groups_that_name_two_hosts_name_none() -> None:
    assert host_in(frozenset({group_of("a"), group_of("b")})) == ""


WRONG: dict[str, dict[str, Any]] = {
    "another node's name": {"pem": csr("system:node:cp-0")},
    "an administrator's name": {"pem": csr("kubernetes-admin", organisations=["system:masters"])},
    "one more organisation": {"pem": csr(organisations=["system:nodes", "system:masters"])},
    "no organisation": {"pem": csr(organisations=[])},
    "a host name": {"pem": csr(dns=[NAME])},
    "an address": {"pem": csr(addresses=["192.168.111.30"])},
    "the usage of a server": {"usages": ("digital signature", "client auth", "server auth")},
    "no usage of a client": {"usages": ("digital signature", "key encipherment")},
    "no request at all": {"pem": b"no request"},
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_in_itself_is_denied(case: str) -> None:
    told = dict(WRONG[case])
    assert isinstance(judge(first(told.pop("pem", None), **told), world()), Deny)


STRANGERS: dict[str, dict[str, Any]] = {
    "a token made by hand": {
        "groups": (
            "system:bootstrappers",
            "system:bootstrappers:kubeadm:default-node-token",
            "system:authenticated",
        )
    },
    "a person": {"user": "kubernetes-admin", "groups": ("system:masters", group_of(NAME))},
    "a service account": {"user": "system:serviceaccount:kube-system:x"},
    "two hosts' groups": {"groups": ("system:bootstrappers", group_of(NAME), group_of("worker-1"))},
}


@pytest.mark.parametrize("case", STRANGERS)
def test_who_used_no_hosts_token_is_left_to_a_person(case: str) -> None:
    assert isinstance(judge(first(**STRANGERS[case]), world()), Wait)


WAITING: dict[str, tuple[World, str]] = {
    "no such host": (world(hosts=[]), "no BareMetalHost worker-0"),
    "two hosts of that name": (
        world(hosts=[host(), host(key=ObjectKey("other", NAME))]),
        "no BareMetalHost worker-0",
    ),
    "a host that goes": (world(hosts=[host(going=True)]), "being deleted"),
    "a host of nobody": (world(hosts=[host(consumer=None)]), "no Machine uses"),
    "a host whose Machine is gone": (world(machines=[]), "no Machine uses"),
    "a Machine that names another host": (
        world(machines=[machine(host=ObjectKey("metal3", "worker-9"))]),
        "no Machine uses",
    ),
    "a Machine that goes": (world(machines=[machine(going=True)]), "being deleted"),
    "a host that is being installed": (world(hosts=[host(state="provisioning")]), "provisioning"),
    "a host that waits": (world(hosts=[host(state="available")]), "available"),
    "a Machine with another Node": (world(machines=[machine(node="x")]), "another Node"),
    "a Node that is ready": (world(nodes=[node()]), "there and ready"),
    "a host that was installed long ago": (
        world(hosts=[host(provisioned_at=NOW - timedelta(hours=2, seconds=1))]),
        "2 hours",
    ),
    "a Machine made after the request": (
        world(machines=[machine(created=NOW + timedelta(seconds=11))]),
        "before Machine",
    ),
}


@pytest.mark.parametrize("case", WAITING)
def test_what_does_not_fit_yet_waits_and_says_why(case: str) -> None:
    known, why = WAITING[case]
    verdict = judge(first(), known)
    assert isinstance(verdict, Wait)
    assert why in verdict.why


def test_a_server_may_try_again_whose_node_is_there_but_not_ready() -> None:
    known = world(machines=[machine(node=NAME)], nodes=[node(ready=False)])
    assert isinstance(judge(first(), known), Approve)


def test_a_machine_made_long_ago_may_get_its_host_late() -> None:
    known = world(machines=[machine(created=NOW - timedelta(days=30))])
    assert isinstance(judge(first(), known), Approve)


def test_a_clock_that_is_ten_seconds_behind_does_no_harm() -> None:
    known = world(machines=[machine(created=NOW + timedelta(seconds=10))])
    assert isinstance(judge(first(), known), Approve)


def test_the_token_of_one_host_does_not_join_another() -> None:
    other = host(key=ObjectKey("metal3", "worker-1"))
    asked = first(csr("system:node:worker-1"))
    assert isinstance(judge(asked, world(hosts=[host(), other])), Deny)


def test_a_node_is_not_taken_for_one_that_joins() -> None:
    asked = first(user=f"system:node:{NAME}", groups=NODE_GROUPS)
    assert isinstance(judge(asked, world()), Wait), "it is a renewal, and there is no Node"
