"""How much of its processor a host gets, and when."""

from __future__ import annotations

from dataclasses import replace
from signal import SIGCONT, SIGSTOP

from hypothesis import given as for_all
from hypothesis import strategies as some

from ingot.lab.faults.actuators import allowance
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.faults.processor import UNLIMITED, Allowance, turns

STARVED = Fault(host="a", kind=FaultKind.CPU_STARVED, amount=10).checked()
SLOW = replace(Fault(host="a", kind=FaultKind.BOOT_SLOW, amount=5).checked(), striking=True)


def test_a_host_without_faults_has_no_limit() -> None:
    assert allowance(()) == UNLIMITED
    assert allowance((replace(SLOW, striking=False),)) == UNLIMITED
    assert UNLIMITED.is_over(0)


def test_a_starved_host_gets_its_share_for_ever() -> None:
    given = allowance((STARVED,))
    assert given.at(0) == given.at(1e9) == 0.1
    assert not given.is_over(1e9)


def test_a_slow_boot_lasts_as_many_times_longer() -> None:
    given = allowance((SLOW,))
    assert given == Allowance(boot_share=0.2, boot_seconds=150)
    assert (given.at(0), given.at(149), given.at(151)) == (0.2, 0.2, 1)
    assert not given.is_over(149)
    assert given.is_over(150)


def test_of_both_the_smaller_share_counts() -> None:
    given = allowance((STARVED, SLOW))
    assert (given.at(0), given.at(1000)) == (0.1, 0.1)


def test_a_boot_that_is_once_as_slow_is_no_fault() -> None:
    assert allowance((replace(SLOW, amount=1),)) == UNLIMITED


def running_time(shares: list[float], machine: int) -> float:
    """Return for what part of a period a machine runs, after the first one."""
    own = [turn for turn in turns(shares) if turn.machine == machine]
    if not own:
        return 0
    told, since, total = own[-1].told, 0.0, 0.0
    for turn in own:
        total += (turn.at - since) * (told is SIGCONT)
        told, since = turn.told, turn.at
    return total + (1 - since) * (told is SIGCONT)


@for_all(some.lists(some.floats(0, 1), min_size=1, max_size=8))
def test_each_host_gets_its_share_of_every_period(shares: list[float]) -> None:
    found = turns(shares)
    assert all(0 <= turn.at <= 1 for turn in found)
    assert found == sorted(found, key=lambda turn: turn.at)
    for machine, share in enumerate(shares):
        assert abs(running_time(shares, machine) - share) < 1e-9


def test_hosts_with_half_a_processor_take_turns() -> None:
    found = [(turn.at, turn.machine, turn.told) for turn in turns([0.5, 0.5])]
    assert found == [(0, 0, SIGCONT), (0.5, 0, SIGSTOP), (0.5, 1, SIGCONT), (1, 1, SIGSTOP)]
