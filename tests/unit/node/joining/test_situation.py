"""What to do next, given what is seen."""

from __future__ import annotations

import pytest

from ingot.configserver.role import Role
from ingot.node.joining.program import delay
from ingot.node.joining.situation import Membership, Seen, Step, next_step

W, C = Role.WORKER, Role.CONTROL_PLANE


@pytest.mark.parametrize(
    ("seen", "step"),
    [
        (Seen(role=W), Step.JOIN),
        (Seen(role=C), Step.JOIN),
        (Seen(role=W, stamped=True, kubelet_conf=True), Step.NOTHING),
        (Seen(role=C, stamped=True), Step.NOTHING),
        # kubeadm removes a worker's bootstrap credentials last.
        (Seen(role=W, kubelet_conf=True), Step.WRITE_DOWN),
        (Seen(role=W, kubelet_conf=True, bootstrap_conf=True), Step.CLEAR),
        (Seen(role=W, bootstrap_conf=True), Step.CLEAR),
        (Seen(role=W, leftovers=True), Step.CLEAR),
        (Seen(role=C, api_manifest=True), Step.CLEAR),
        (Seen(role=C, kubelet_conf=True), Step.CLEAR),
        (Seen(role=C, leftovers=True), Step.CLEAR),
    ],
)
def test_what_is_there_decides(seen: Seen, step: Step) -> None:
    assert next_step(seen) is step


@pytest.mark.parametrize(
    ("membership", "step"),
    [
        (Membership.VOTER, Step.MARK),
        (Membership.LEARNER, Step.CLEAR),
        (Membership.NONE, Step.CLEAR),
    ],
)
def test_of_a_complete_control_plane_its_vote_in_etcd_decides(
    membership: Membership, step: Step
) -> None:
    seen = Seen(
        role=C, kubelet_conf=True, api_manifest=True, etcd_manifest=True, membership=membership
    )
    assert seen.etcd_is_to_be_asked
    assert next_step(seen) is step


def test_etcd_is_not_asked_where_its_answer_would_change_nothing() -> None:
    assert not Seen(role=C, stamped=True, kubelet_conf=True).etcd_is_to_be_asked
    assert not Seen(role=C, etcd_manifest=True, api_manifest=True).etcd_is_to_be_asked
    assert not Seen(role=W, kubelet_conf=True).etcd_is_to_be_asked


def test_the_wait_grows_up_to_a_minute() -> None:
    assert [delay(failures) for failures in (1, 2, 3, 4, 5, 6, 10_000)] == [
        5, 10, 20, 40, 60, 60, 60,
    ]  # fmt: skip
