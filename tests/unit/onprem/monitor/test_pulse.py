"""keepalived's pulse: what is frozen is told from what is idle, and from what was not looked at."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ingot.onprem.keepalived import DOWN_SECONDS
from ingot.onprem.monitor.pulse import Pulse


def frozen_at(looks: Iterable[tuple[float, str, int]], *, holds: bool = True) -> float | None:
    """Return when keepalived is found frozen, by looks: when, its state, its beats."""
    pulse = Pulse()
    for now, state, beats in looks:
        pulse = pulse.after(state, beats, holds=holds, now=now)
        if pulse.is_frozen:
            return now
    return None


def looks(state: str, *, until: float, beating_until: float) -> list[tuple[float, str, int]]:
    times = [100 + number / 10 for number in range(round(until * 10))]
    return [(at, state, int(min(at, 100 + beating_until) * 10)) for at in times]


def test_what_beats_is_not_frozen() -> None:
    assert frozen_at(looks("S", until=5, beating_until=5)) is None


@pytest.mark.parametrize("state", ["T", "S", "D", "R"])
def test_a_holder_without_a_pulse_is_frozen_when_others_take_over(state: str) -> None:
    at = frozen_at(looks(state, until=5, beating_until=1))
    assert at == pytest.approx(101 + DOWN_SECONDS, abs=0.11)


def test_who_holds_nothing_may_be_idle_but_not_stopped() -> None:
    assert frozen_at(looks("S", until=5, beating_until=0), holds=False) is None
    assert frozen_at(looks("T", until=5, beating_until=0), holds=False) is not None


def test_a_time_in_which_nobody_looked_tells_nothing() -> None:
    before = [(100.0, "S", 7), (100.1, "S", 7)]
    after = [(160.0, "S", 7), (160.1, "S", 7), (160.2, "S", 8)]
    assert frozen_at([*before, *after]) is None
