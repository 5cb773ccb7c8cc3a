"""What may be asked of a fault, and which occasions it strikes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.lab.faults.fault import BadFault, Fault, UnknownFault, kind_named, planned_fault
from ingot.lab.faults.kind import KINDS, FaultKind
from ingot.lab.plan import FaultPlan

COUNTED = [kind for kind, info in KINDS.items() if info.counts]
LASTING = [kind for kind, info in KINDS.items() if not info.counts]


def strikes(fault: Fault, occasions: int) -> list[bool]:
    """Return which of the next occasions are struck."""

    def course() -> Any:  # noqa: ANN401 - an endless generator of bool
        one = fault
        while True:
            one = one.next_occasion()
            yield one.striking

    return list(islice(course(), occasions))


@given(
    kind=st.sampled_from(COUNTED),
    rate=st.floats(0, 1),
    times=st.none() | st.integers(1, 50),
    after=st.integers(0, 50),
    seed=st.integers(),
)
def test_the_same_seed_strikes_the_same_occasions(
    kind: FaultKind, rate: float, times: int | None, after: int, seed: int
) -> None:
    one, other = (
        Fault(host="a", kind=kind, rate=rate, times=times, after=after, seed=seed).checked()
        for _ in range(2)
    )
    assert strikes(one, 100) == strikes(other, 100)


@given(times=st.integers(1, 20), after=st.integers(0, 20))
def test_without_a_rate_exactly_the_occasions_asked_for_are_struck(times: int, after: int) -> None:
    fault = Fault(host="a", kind=FaultKind.NO_DHCP, times=times, after=after).checked()
    assert strikes(fault, 50) == [after <= number < after + times for number in range(50)]


@given(rate=st.floats(0.01, 1), times=st.integers(1, 20), seed=st.integers())
def test_a_rate_strikes_no_more_often_than_times(rate: float, times: int, seed: int) -> None:
    fault = Fault(host="a", kind=FaultKind.BMC_503, rate=rate, times=times, seed=seed).checked()
    assert sum(strikes(fault, 300)) <= times


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 42])
def test_a_rate_is_kept_over_many_occasions(rate: float, seed: int) -> None:
    fault = Fault(host="a", kind=FaultKind.IPMI_LOSS, rate=rate, seed=seed).checked()
    assert sum(strikes(fault, 2000)) / 2000 == pytest.approx(rate, abs=0.05)


def test_seeds_hosts_and_kinds_are_struck_apart() -> None:
    def course(host: str, kind: FaultKind, seed: int) -> list[bool]:
        return strikes(Fault(host=host, kind=kind, rate=0.5, seed=seed), 64)

    courses = [
        course("a", FaultKind.BMC_500, 0),
        course("a", FaultKind.BMC_500, 1),
        course("b", FaultKind.BMC_500, 0),
        course("a", FaultKind.BMC_503, 0),
    ]
    assert len({tuple(one) for one in courses}) == len(courses)


def test_rate_zero_never_strikes() -> None:
    assert not any(strikes(Fault(host="a", kind=FaultKind.BMC_500, rate=0), 100))


def test_what_is_left_open_is_filled_in() -> None:
    assert Fault(host="a", kind=FaultKind.BMC_SLOW).checked().amount == 5
    assert Fault(host="a", kind=FaultKind.BMC_401).checked().times == 1
    assert Fault(host="a", kind=FaultKind.BMC_500).checked().times is None


def test_a_checked_fault_starts_counting_anew() -> None:
    used = Fault(host="a", kind=FaultKind.BMC_500, seen=7, struck=3, striking=True)
    fresh = used.checked()
    assert (fresh.seen, fresh.struck, fresh.striking) == (0, 0, False)


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_kind_can_be_set_as_it_is(kind: FaultKind) -> None:
    info = KINDS[kind]
    fault = Fault(host="a", kind=kind).checked()
    assert (fault.amount is None) == (info.amount is None)
    if fault.amount is not None:
        assert info.least <= fault.amount <= info.most
        Fault(host="a", kind=kind, amount=info.least).checked()
        Fault(host="a", kind=kind, amount=info.most).checked()


@pytest.mark.parametrize(
    ("kind", "options", "named"),
    [
        (FaultKind.BMC_500, {"rate": 1.5}, "rate 1.5 of bmc-500"),
        (FaultKind.BMC_500, {"rate": -0.1}, "rate -0.1"),
        (FaultKind.BMC_500, {"rate": float("nan")}, "rate nan"),
        (FaultKind.BMC_500, {"times": 0}, "times 0"),
        (FaultKind.BMC_500, {"after": -1}, "after -1"),
        (FaultKind.BMC_500, {"amount": 3.0}, "bmc-500 takes no amount"),
        (FaultKind.NIC_LOSSY, {"amount": 101.0}, "not from 0.1 to 100"),
        (FaultKind.NIC_LOSSY, {"amount": 0.0}, "not from 0.1 to 100"),
        (FaultKind.NIC_SLOW, {"amount": 0.0}, "amount 0 of nic-slow"),
        (FaultKind.DISK_SLOW, {"amount": -1.0}, "amount -1 of disk-slow"),
        (FaultKind.DISK_ERRORS, {"amount": 100.5}, "amount 100.5 of disk-errors"),
        (FaultKind.CPU_STARVED, {"amount": 0.0}, "not from 1 to 100"),
        (FaultKind.BOOT_SLOW, {"amount": 0.5}, "not from 1 to 100"),
        (FaultKind.CLOCK_WRONG, {"amount": float("inf")}, "amount inf"),
        (FaultKind.CLOCK_WRONG, {"amount": float("nan")}, "amount nan"),
        (FaultKind.POWERS_OFF, {"amount": -1.0}, "amount -1 of powers-off"),
        (FaultKind.DISK_SLOW, {"rate": 0.5}, "disk-slow takes no rate"),
        (FaultKind.DISK_SLOW, {"times": 1, "after": 2}, "takes no times or after"),
        (FaultKind.DISK_SLOW, {"seed": 1}, "takes no seed"),
        (FaultKind.DISK_READ_ONLY, {"amount": 1.0}, "takes no amount"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_remedy(
    kind: FaultKind, options: Mapping[str, Any], named: str
) -> None:
    with pytest.raises(BadFault, match=named) as refused:
        Fault(host="a", kind=kind, **options).checked()
    assert refused.value.remedy


@pytest.mark.parametrize("kind", [FaultKind.DISK_ERRORS, FaultKind.NIC_LOSSY])
def test_what_strikes_by_chance_takes_a_seed_even_if_it_lasts(kind: FaultKind) -> None:
    assert kind in LASTING
    assert Fault(host="a", kind=kind, seed=7).checked().seed == 7


def test_a_mistyped_kind_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownFault) as unknown:
        kind_named("disk-slwo")
    assert "disk-slow" in unknown.value.remedy


def test_a_kind_unlike_any_is_answered_with_all() -> None:
    with pytest.raises(UnknownFault) as unknown:
        kind_named("zzz")
    assert all(kind in unknown.value.remedy for kind in FaultKind)


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_kind_is_found_by_its_name(kind: FaultKind) -> None:
    assert kind_named(str(kind)) is kind


def test_a_planned_fault_is_checked() -> None:
    fault = planned_fault("a", FaultPlan(kind="no-dhcp", times=2, after=1))
    assert fault == Fault(host="a", kind=FaultKind.NO_DHCP, times=2, after=1)
    with pytest.raises(BadFault):
        planned_fault("a", FaultPlan(kind="nic-lossy", amount=1000))
    with pytest.raises(UnknownFault):
        planned_fault("a", FaultPlan(kind="nic-loss"))
