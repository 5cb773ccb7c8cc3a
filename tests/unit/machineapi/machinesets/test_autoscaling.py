"""As many Machines as there are hosts for them."""

from __future__ import annotations

from ingot.kube.kind import ObjectKey
from ingot.machineapi.machinesets.autoscaling import replicas_for
from tests.unit.machineapi.objects import IMAGE, host, machine_set

OURS = frozenset({ObjectKey("metal3", "ours")})
RACK = {"image": IMAGE, "hostSelector": {"matchLabels": {"rack": "a"}}}


def test_hosts_that_are_free_and_those_of_its_machines_are_counted() -> None:
    hosts = [
        host("a", "provisioned", consumer="ours"),
        host("b"),
        host("c", "provisioned", consumer="others"),
        host("d", "inspecting"),
    ]
    assert replicas_for(machine_set().model, hosts, OURS) == 2


def test_a_host_whose_machine_goes_is_not_counted() -> None:
    hosts = [host("a", "deprovisioning", consumer="going")]
    assert replicas_for(machine_set().model, hosts, OURS) == 0


def test_a_host_of_its_machines_counts_even_if_the_selector_no_longer_matches() -> None:
    hosts = [host("a", "provisioned", consumer="ours"), host("b")]
    assert replicas_for(machine_set(value=RACK).model, hosts, OURS) == 1


def test_a_host_of_its_machines_counts_though_it_fails() -> None:
    failing = host("a", "provisioned", consumer="ours", status={"errorMessage": "no power"})
    assert replicas_for(machine_set().model, [failing], OURS) == 1


def test_a_selector_that_cannot_be_used_changes_nothing() -> None:
    value = {"hostSelector": {"matchExpressions": [{"key": "a", "operator": "x"}]}}
    assert replicas_for(machine_set(value=value).model, [host()], OURS) is None
