"""Who leads: the rules, and that no two ever do, whatever their clocks and networks are like."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingot.kube.lease import Lease, Move, Terms, Verdict, Witness

LEASE = Lease(holder="other", renewed="t1", duration=10)


def test_lease_that_is_not_there_is_created() -> None:
    assert Witness("me").decide(None, now=0) == Move(Verdict.CREATE)


def test_own_lease_is_renewed_and_a_released_one_taken() -> None:
    assert Witness("me").decide(Lease("me", "t1", 10), now=0).verdict is Verdict.RENEW
    assert Witness("me").decide(Lease("", "t1", 10), now=0).verdict is Verdict.TAKE


def test_lease_of_another_is_believed_for_its_duration_from_when_it_was_seen() -> None:
    witness = Witness("me")
    assert witness.decide(LEASE, now=1000) == Move(Verdict.WAIT, until=1010)
    assert witness.decide(LEASE, now=1009.9) == Move(Verdict.WAIT, until=1010)
    assert witness.decide(LEASE, now=1010) == Move(Verdict.TAKE)


def test_renewal_begins_the_duration_anew() -> None:
    witness = Witness("me")
    witness.decide(LEASE, now=0)
    renewed = Lease(holder="other", renewed="t2", duration=10)
    assert witness.decide(renewed, now=9) == Move(Verdict.WAIT, until=19)


def test_time_written_in_a_lease_is_never_compared_with_ours() -> None:
    for written in ("1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "nonsense"):
        witness = Witness("me")
        seen = Lease(holder="other", renewed=written, duration=10)
        assert witness.decide(seen, now=50) == Move(Verdict.WAIT, until=60)


def test_defaults_are_those_of_upstream() -> None:
    assert Terms() == Terms(duration=137, renew_deadline=107, retry_period=26)


@pytest.mark.parametrize("wrong", [(10, 10, 1), (10, 5, 5), (5, 10, 1), (10, 5, 0)])
def test_terms_that_would_let_two_lead_are_refused(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="lease needs"):
        Terms(*wrong)


@dataclass
class Server:
    """The lease, with the API's rule that only the version one has read can be replaced."""

    lease: Lease | None = None
    version: int = 0

    def write(self, lease: Lease, *, read: int) -> bool:
        if read != self.version:
            return False
        self.lease, self.version = lease, self.version + 1
        return True


@dataclass
class Process:
    """A candidate with a clock of its own, that does one step at a time and may sleep between."""

    name: str
    offset: float
    terms: Terms
    witness: Witness = field(init=False)
    renewed: float | None = None
    answer: tuple[Lease | None, int] | None = None
    """What it has read and not looked at yet."""
    request: tuple[Lease, int, float] | None = None
    """What it has sent and the server has not received yet."""
    writes: int = 0

    def __post_init__(self) -> None:
        self.witness = Witness(self.name)

    def clock(self, true_time: float) -> float:
        return true_time + self.offset

    def leads(self, true_time: float) -> bool:
        return (
            self.renewed is not None
            and self.clock(true_time) - self.renewed < self.terms.renew_deadline
        )

    def step(self, server: Server, true_time: float) -> None:
        """Read, decide and send, or arrive: any time may pass between these."""
        now = self.clock(true_time)
        if self.request is not None:
            (lease, version, sent), self.request = self.request, None
            if server.write(lease, read=version):
                self.renewed = sent
        elif self.answer is not None:
            (seen, version), self.answer = self.answer, None
            if self.witness.decide(seen, now=now).verdict is Verdict.WAIT:
                self.renewed = None
                return
            self.writes += 1
            ours = Lease(self.name, f"{self.name}-{self.writes}", self.terms.duration)
            self.request = (ours, version, now)
        else:
            self.answer = (server.lease, server.version)


@settings(max_examples=200, deadline=None)
@given(
    offsets=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=4),
    seed=st.integers(0, 2**32),
    sleepiness=st.floats(0, 0.2),
)
def test_no_two_ever_lead_at_once(offsets: list[float], seed: int, sleepiness: float) -> None:
    """Most steps follow quickly; now and then one takes as long as it likes."""
    draw = random.Random(seed)  # noqa: S311 - an example, not a secret
    terms = Terms(duration=15, renew_deadline=10, retry_period=2)
    server = Server()
    processes = [Process(f"p{n}", offset, terms) for n, offset in enumerate(offsets)]
    wakes = {one.name: draw.random() for one in processes}
    ever_led = set[str]()
    for _ in range(400):
        process = min(processes, key=lambda one: wakes[one.name])
        time = wakes[process.name]
        sleeps = draw.random() < sleepiness
        wakes[process.name] += draw.uniform(0, 25) if sleeps else draw.expovariate(4)
        process.step(server, time)
        leading = {one.name for one in processes if one.leads(time)}
        assert len(leading) <= 1, f"{leading} lead at {time}"
        ever_led |= leading
    assert ever_led, "somebody leads at some time"
