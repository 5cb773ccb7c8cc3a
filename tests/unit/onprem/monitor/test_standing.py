"""How a node stands with a VIP, and the words for why that changed."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from ingot.onprem.model import VipKind
from ingot.onprem.monitor.standing import (
    Heard,
    Notification,
    Standing,
    State,
    View,
    after_notification,
    holder_of,
    read_notification,
)
from ingot.onprem.vipduty import Duty

VIP, OTHER, THIRD = map(ip_address, ("10.9.0.100", "10.9.0.12", "10.9.0.13"))
NAMES = {OTHER: "master-1", THIRD: "master-2"}
MAY = Duty(40, 20, "balances over 3 ready API servers")
MAY_NOT = Duty(40, None, "has no balancer that runs")
NOW = 100.0


def standing(state: State) -> Standing:
    return Standing(instance="c_API_0", kind=VipKind.API, vip=VIP, state=state)


def view(
    duty: Duty | None = MAY,
    heard: Heard | None = None,
    reason: str = "",
    earlier: Heard | None = None,
) -> View:
    return View(duty=duty, heard=heard, names=NAMES, now=NOW, reason=reason, earlier=earlier)


def heard(priority: int, ago: float) -> Heard:
    return Heard(OTHER, priority, NOW - ago)


RIVAL = Heard(THIRD, 60, NOW - 0.01)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('INSTANCE "c_API_0" MASTER 60', Notification("c_API_0", State.MASTER, 60)),
        ('INSTANCE "c_API_0" BACKUP_PRIORITY 45', Notification("c_API_0", State.BACKUP, 45)),
        ('INSTANCE "c_API_0" FAULT 40', Notification("c_API_0", State.FAULT, 40)),
        ('INSTANCE "c_API_0" STOP 60', Notification("c_API_0", State.STOPPED, 60)),
        ('GROUP "all" MASTER 60', None),
        ("", None),
    ],
)
def test_lines_of_keepalived_are_read(line: str, said: Notification | None) -> None:
    assert read_notification(line) == said


@pytest.mark.parametrize(
    ("was", "becomes", "known", "cause"),
    [
        (State.BACKUP, State.MASTER, view(), "nobody else was heard"),
        (State.BACKUP, State.MASTER, view(heard=heard(0, 0.1)), "master-1 gave it up"),
        (
            State.BACKUP,
            State.MASTER,
            view(heard=heard(45, 0.1)),
            "this node has priority 60, and master-1 only 45",
        ),
        (
            State.BACKUP,
            State.MASTER,
            view(heard=heard(60, 0.8)),
            "master-1 has not been heard for 0.8 s",
        ),
        (
            State.BACKUP,
            State.MASTER,
            view(heard=RIVAL, earlier=heard(0, 0.1)),
            "master-1 gave it up, and master-2 reached for it in the same moment",
        ),
        (
            State.BACKUP,
            State.MASTER,
            view(heard=RIVAL, earlier=heard(60, 0.8)),
            "master-1 has not been heard for 0.8 s, and master-2 reached for it in the same moment",
        ),
        (
            State.BACKUP,
            State.MASTER,
            view(heard=RIVAL),
            "nobody else was heard, and master-2 reached for it in the same moment",
        ),
        (
            State.MASTER,
            State.BACKUP,
            view(heard=heard(70, 0.0)),
            "master-1 has priority 70, and this node 60",
        ),
        (State.MASTER, State.FAULT, view(MAY_NOT), "this node has no balancer that runs"),
        (
            State.MASTER,
            State.FAULT,
            view(MAY),
            "its network card is down, or its own address is gone",
        ),
        (
            State.MASTER,
            State.STOPPED,
            view(reason="keepalived was frozen"),
            "keepalived was frozen",
        ),
        (
            State.FAULT,
            State.BACKUP,
            view(),
            "this node may hold it: it balances over 3 ready API servers",
        ),
        (State.UNKNOWN, State.BACKUP, view(None), "keepalived has begun to listen"),
    ],
)
def test_a_change_has_its_cause(was: State, becomes: State, known: View, cause: str) -> None:
    after = after_notification(
        standing(was), Notification("c_API_0", becomes, 60), known, clock=5.0
    )
    assert (after.state, after.cause, after.since) == (becomes, cause, 5.0)
    assert after.transitions == (State.MASTER in {was, becomes})


def test_a_new_priority_alone_is_no_change() -> None:
    before = standing(State.MASTER)
    after = after_notification(before, Notification("c_API_0", State.MASTER, 45), view(), clock=5.0)
    assert (after.priority, after.since, after.cause) == (45, before.since, before.cause)


@pytest.mark.parametrize(
    ("state", "last", "holder"),
    [
        (State.MASTER, None, "master-0"),
        (State.BACKUP, heard(60, 0.2), "master-1"),
        (State.FAULT, heard(60, 0.2), "master-1"),
        (State.BACKUP, heard(60, 1.5), ""),
        (State.BACKUP, heard(0, 0.2), ""),
        (State.BACKUP, None, ""),
    ],
)
def test_the_holder_is_this_node_or_who_was_heard(
    state: State, last: Heard | None, holder: str
) -> None:
    assert holder_of(standing(state), "master-0", view(heard=last)) == holder
