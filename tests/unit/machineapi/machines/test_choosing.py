"""Which host a Machine takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.providerspec import HostSelector
from ingot.machineapi.hosts import Host
from ingot.machineapi.machines.choosing import Refusal, choose, refusal
from tests.unit.machineapi.objects import IMAGE, host

ANY = HostSelector()
RACK_A = HostSelector(match_labels={"rack": "a"})
DELETED: dict[str, Any] = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def marked(name: str) -> dict[str, Any]:
    return {"annotations": {name: ""}}


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (host(), None),
        (host(state="ready"), None),
        (host(labels={"rack": "b"}), None),
        (host(consumer="other"), Refusal.IN_USE),
        (host(spec={"image": IMAGE}), Refusal.IN_USE),
        (host(spec={"customDeploy": {"method": "x"}}), Refusal.IN_USE),
        (host(spec={"externallyProvisioned": True}), Refusal.IN_USE),
        (host(**DELETED), Refusal.GOING),
        (host(**marked("baremetalhost.metal3.io/paused")), Refusal.PAUSED),
        (host(**marked("baremetalhost.metal3.io/detached")), Refusal.PAUSED),
        (host(**marked("capm3.metal3.io/unhealthy")), Refusal.UNHEALTHY),
        (host(status={"errorMessage": "no power"}), Refusal.FAILING),
        (host(status={"errorType": "registration error"}), Refusal.FAILING),
        (host(state=""), Refusal.NOT_READY),
        (host(state="inspecting"), Refusal.NOT_READY),
        (host(state="preparing"), Refusal.NOT_READY),
        (host(state="provisioned"), Refusal.NOT_READY),
        (host(state="deprovisioning"), Refusal.NOT_READY),
    ],
)
def test_a_host_is_taken_only_if_it_is_free(seen: KubeObject[Host], why: Refusal | None) -> None:
    assert refusal(seen, ANY) is why


def test_a_host_that_was_never_looked_at_is_not_taken() -> None:
    assert refusal(host(status={"provisioning": {}}), ANY) is Refusal.NOT_READY


def test_a_host_that_the_selector_does_not_match_is_not_taken() -> None:
    assert refusal(host(labels={"rack": "b"}), RACK_A) is Refusal.NOT_MATCHING


@given(st.permutations([f"host-{number}" for number in range(5)]))
def test_the_order_is_by_name_however_hosts_are_listed(names: list[str]) -> None:
    choice = choose([host(name) for name in names], ANY)
    assert [one.key.name for one in choice.candidates] == sorted(names)


def test_the_host_that_a_machine_was_about_to_take_goes_first() -> None:
    choice = choose([host("a"), host("b"), host("c")], ANY, preferred="c")
    assert [one.key.name for one in choice.candidates] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("times", "order"),
    [
        ({}, ["a", "b", "c"]),
        ({"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:05:00Z"}, ["a", "b", "c"]),
        ({"start": "2026-01-01T00:00:00Z"}, ["b", "c", "a"]),
        ({"start": "2026-01-01T00:00:00Z", "end": None}, ["b", "c", "a"]),
    ],
    ids=["nothing was installed", "it was installed", "it failed", "it failed, and says so"],
)
def test_a_host_whose_last_installation_never_ended_goes_last(
    times: dict[str, Any], order: list[str]
) -> None:
    first = host("a", status={"operationHistory": {"provision": times}})
    choice = choose([first, host("c"), host("b")], ANY)
    assert [one.key.name for one in choice.candidates] == order


def test_a_host_that_is_preferred_is_still_not_taken_from_others() -> None:
    choice = choose([host("a"), host("c", consumer="other")], ANY, preferred="c")
    assert [one.key.name for one in choice.candidates] == ["a"]


def test_a_host_that_somebody_is_taking_now_is_in_use() -> None:
    choice = choose([host("a")], ANY, reserved={ObjectKey("metal3", "a")})
    assert (choice.candidates, choice.passed_over) == ((), {Refusal.IN_USE: 1})


@pytest.mark.parametrize(
    ("hosts", "matched", "told"),
    [
        ([], False, "there are no hosts: add a BareMetalHost to this namespace"),
        (
            [host("a"), host("b")],
            False,
            "the selector matches none of 2 hosts: correct it, or label a BareMetalHost",
        ),
        (
            [
                host("a", consumer="x", labels={"rack": "a"}),
                host("b", "inspecting", labels={"rack": "a"}),
                host("c"),
            ],
            True,
            (
                "no host is free (3 hosts: 1 in use, 1 not available yet, 1 not matched by the"
                " selector): add a BareMetalHost, or wait for one"
            ),
        ),
    ],
)
def test_it_is_told_why_there_is_none(
    hosts: list[KubeObject[Host]],
    matched: bool,  # noqa: FBT001
    told: str,
) -> None:
    choice = choose(hosts, RACK_A)
    assert (choice.candidates, choice.matched, choice.why_none()) == ((), matched, told)
