"""A BMC that refuses connections: decided once a second, and never longer than it was set for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.lab.bmc.redfish.refusing import Refusing
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind


@pytest.fixture
def faults(tmp_path: Path) -> FaultBook:
    return FaultBook(tmp_path / "faults.json")


@pytest.fixture
def refusing(faults: FaultBook) -> Refusing:
    return Refusing(faults, "master-0")


def refuse(
    faults: FaultBook,
    *,
    times: int | None = None,
    after: int = 0,
    rate: float = 1.0,
    seed: int = 0,
) -> None:
    faults.set(
        Fault(
            host="master-0",
            kind=FaultKind.BMC_REFUSED,
            times=times,
            after=after,
            rate=rate,
            seed=seed,
        )
    )


def seconds(refusing: Refusing, count: int) -> list[bool]:
    return [refusing.look(float(now)) for now in range(count)]


def test_without_the_fault_nothing_is_refused_nor_looked_for(refusing: Refusing) -> None:
    assert refusing.look(0) is False
    assert refusing.due is None


def test_it_refuses_until_it_is_cleared(faults: FaultBook, refusing: Refusing) -> None:
    refuse(faults)
    assert seconds(refusing, 4) == [True] * 4
    faults.clear("master-0")
    assert refusing.look(3.1) is False
    assert refusing.due is None


def test_each_second_counts_once(faults: FaultBook, refusing: Refusing) -> None:
    refuse(faults, times=2, after=1)
    assert seconds(refusing, 5) == [False, True, True, False, False]
    assert refusing.due is None


def test_looking_more_often_changes_nothing(faults: FaultBook, refusing: Refusing) -> None:
    refuse(faults, times=1)
    looks = [refusing.look(now) for now in (0.0, 0.2, 0.9, 1.0, 1.1)]
    assert looks == [True, True, True, False, False]


def test_a_fault_that_is_spent_and_set_again_refuses_again(
    faults: FaultBook, refusing: Refusing
) -> None:
    refuse(faults, times=1)
    assert seconds(refusing, 2) == [True, False]
    refuse(faults, times=1)
    assert refusing.look(1.5) is True


def test_the_same_seed_comes_and_goes_alike(faults: FaultBook, refusing: Refusing) -> None:
    refuse(faults, rate=0.5, seed=3)
    first = seconds(refusing, 30)
    faults.clear("master-0")
    refusing.look(30)
    refuse(faults, rate=0.5, seed=3)
    assert seconds(refusing, 30) == first
    assert set(first) == {True, False}
