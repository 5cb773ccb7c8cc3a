"""When wrong log-ins lock an account, and when it opens again."""

from __future__ import annotations

import pytest

from ingot.lab.bmc.lockout import Lockout


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lockout(clock: Clock) -> Lockout:
    return Lockout(limit=3, seconds=60, clock=clock)


def fail(lockout: Lockout, times: int, source: str = "admin") -> None:
    for _ in range(times):
        lockout.failed(source)


def test_nobody_is_locked_at_first(lockout: Lockout) -> None:
    assert not lockout.is_locked("admin")


def test_one_failure_less_than_the_limit_locks_nobody(lockout: Lockout) -> None:
    fail(lockout, 2)
    assert not lockout.is_locked("admin")


def test_as_many_failures_as_the_limit_lock(lockout: Lockout) -> None:
    fail(lockout, 3)
    assert lockout.is_locked("admin")
    assert lockout.remaining("admin") == 60


def test_another_source_is_not_locked_with_it(lockout: Lockout) -> None:
    fail(lockout, 3)
    assert not lockout.is_locked("operator")


def test_a_lock_ends_after_its_time(lockout: Lockout, clock: Clock) -> None:
    fail(lockout, 3)
    clock.now += 59.9
    assert lockout.is_locked("admin")
    clock.now += 0.1
    assert not lockout.is_locked("admin")


def test_after_a_lock_the_count_starts_over(lockout: Lockout, clock: Clock) -> None:
    fail(lockout, 3)
    clock.now += 60
    fail(lockout, 2)
    assert not lockout.is_locked("admin")
    fail(lockout, 1)
    assert lockout.is_locked("admin")


def test_failures_while_locked_do_not_make_the_lock_longer(lockout: Lockout, clock: Clock) -> None:
    fail(lockout, 3)
    clock.now += 30
    fail(lockout, 5)
    assert lockout.remaining("admin") == 30


def test_a_success_in_between_starts_the_count_over(lockout: Lockout) -> None:
    fail(lockout, 2)
    lockout.succeeded("admin")
    fail(lockout, 2)
    assert not lockout.is_locked("admin")


def test_failures_long_apart_are_not_in_a_row(lockout: Lockout, clock: Clock) -> None:
    for _ in range(10):
        lockout.failed("admin")
        clock.now += 60
    assert not lockout.is_locked("admin")


def test_made_up_names_are_forgotten(lockout: Lockout, clock: Clock) -> None:
    for number in range(100):
        lockout.failed(f"user{number}")
    clock.now += 60
    lockout.failed("admin")
    assert len(lockout._failures) == 1  # noqa: SLF001 - memory is what this is about


def test_starting_over_opens_everything(lockout: Lockout) -> None:
    fail(lockout, 3)
    lockout.forget()
    assert not lockout.is_locked("admin")
