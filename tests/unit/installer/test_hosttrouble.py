"""When a server's errors end the wait for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingot.errors import ExitCode
from ingot.installer.hosttrouble import HostFailed, Trouble, after_look, given_up
from ingot.installer.progress import HostProgress
from ingot.ironic.node import Node
from ingot.ironic.states import ProvisionState
from ingot.metal3.node.goal import Register
from ingot.metal3.node.progress import Failed
from ingot.metal3.node.registering import register
from tests.unit.metal3.node.nodes import host as subject
from tests.unit.metal3.node.nodes import node

LOST = HostProgress(name="cp-1", state="inspecting", error="no DHCP request", attempts=1)
TRYING = replace(LOST, error="")


def looked(*looks: tuple[float, HostProgress]) -> HostProgress | None:
    """Return who is given up at the last of some looks; before that, nobody may be."""
    known: dict[str, Trouble] = {}
    gone = None
    for now, seen in looks:
        assert gone is None
        known = after_look(known, [seen], now=now)
        gone = given_up(known, [seen], now=now)
    return gone


def refused() -> HostProgress:
    """Return a host whose BMC answers with 401, with what the operator says of that."""
    said = "HTTP GET https://192.0.2.9/redfish/v1/Systems/1 returned code 401. Unauthorized"
    enrolled: Node = node(ProvisionState.ENROLL, last_error=said)
    step = register(Register(again=False), subject(), enrolled)
    assert isinstance(step, Failed)
    return HostProgress(name="cp-1", state="registering", error=step.why, attempts=1)


def test_refused_credentials_end_the_wait_at_the_second_look() -> None:
    assert looked((0, refused()), (3, refused())) == refused()


def test_one_look_is_not_enough_for_refused_credentials() -> None:
    assert looked((0, refused())) is None


def test_an_error_that_was_tried_often_for_long_ends_it() -> None:
    third = replace(LOST, attempts=3, error="no boot file")
    assert looked((0, LOST), (60, TRYING), (120, replace(LOST, attempts=2)), (180, third)) == third


@pytest.mark.parametrize(
    ("attempts", "now"), [(2, 500.0), (3, 179.0)], ids=["not often", "not long"]
)
def test_what_was_not_tried_often_or_for_long_is_waited_for(attempts: int, now: float) -> None:
    assert looked((0, LOST), (now, replace(LOST, attempts=attempts, error="no kernel"))) is None


def test_a_server_that_is_tried_again_is_waited_for() -> None:
    assert looked((0, LOST), (1000, replace(TRYING, attempts=4))) is None


def test_a_server_that_got_over_it_begins_anew() -> None:
    well = replace(LOST, error="", attempts=0)
    again = replace(LOST, attempts=3)
    assert looked((0, LOST), (100, well), (200, again), (379, again)) is None


def test_an_error_that_stands_and_is_never_tried_again_ends_it() -> None:
    assert looked((0, LOST), (599, LOST)) is None
    assert looked((0, LOST), (600, LOST)) == LOST


def test_a_worker_that_is_waited_for_ends_it_as_any_other() -> None:
    worker = replace(LOST, role="worker", attempts=3)
    assert looked((0, worker), (180, worker)) == worker


@pytest.mark.parametrize(
    ("host", "awaited"),
    [
        (LOST, True),
        (replace(LOST, state="provisioned"), False),
        (replace(LOST, role="worker"), False),
        (replace(LOST, role="worker", claimed=True), False),
    ],
)
def test_the_bootstrap_does_not_wait_for_workers(host: HostProgress, *, awaited: bool) -> None:
    assert host.is_awaited is awaited


def test_a_server_that_has_its_image_does_not_need_its_bmc_to_join() -> None:
    provisioned = replace(LOST, state="provisioned", error="its BMC does not answer", attempts=9)
    assert looked((0, provisioned), (1000, provisioned)) is None


def test_the_end_names_the_host_the_cause_and_what_to_do() -> None:
    failed = HostFailed(replace(LOST, attempts=3))
    assert failed.exit_code is ExitCode.INFRASTRUCTURE
    assert failed.what == "host cp-1 (inspecting, tried 3 times): no DHCP request"
    assert "describe baremetalhost cp-1" in failed.remedy


def test_refused_credentials_have_a_remedy_of_their_own() -> None:
    assert "bmc.password of cp-1" in HostFailed(refused()).remedy


def test_credentials_of_a_worker_are_corrected_in_the_cluster_which_stays() -> None:
    failed = HostFailed(replace(refused(), name="w-0", role="worker"))
    assert "edit secret w-0-bmc-secret" in failed.remedy
    assert "destroy" not in failed.remedy
