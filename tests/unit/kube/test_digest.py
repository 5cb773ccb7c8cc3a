"""Which events are written."""

from __future__ import annotations

from ingot.kube import digest as rules
from ingot.kube.digest import BURST, FORGET_SECONDS, REFILL_SECONDS, Digest, Happening, Severity
from ingot.kube.kind import ObjectKey


def happening(message: str = "m", *, uid: str = "u1") -> Happening:
    return Happening("v1", "Thing", ObjectKey("ns", "a"), uid, Severity.NORMAL, "Reason", message)


def test_repeat_is_the_same_event_with_a_higher_count() -> None:
    digest = Digest()
    first = digest.take(happening(), now=5)
    again = digest.take(happening(), now=9)
    other = digest.take(happening("another"), now=9)
    assert first
    assert again
    assert other
    assert (again.number, again.count, again.first) == (first.number, 2, 5)
    assert other.number != first.number


def test_flood_of_one_object_is_cut_and_counted_and_others_are_not() -> None:
    digest = Digest()
    written = [digest.take(happening(), now=0) for _ in range(BURST + 10)]
    assert [bool(note) for note in written] == [True] * BURST + [False] * 10
    assert digest.take(happening(uid="u2"), now=0)
    later = digest.take(happening(), now=REFILL_SECONDS)
    assert later
    assert later.count == BURST + 11, "what was not written is counted"
    assert digest.take(happening(), now=REFILL_SECONDS) is None


def test_repeat_after_the_server_has_dropped_the_event_is_a_new_one() -> None:
    digest = Digest()
    first = digest.take(happening(), now=0)
    late = digest.take(happening(), now=FORGET_SECONDS + 1)
    assert first
    assert late
    assert (late.count, late.number != first.number) == (1, True)


def test_memory_is_limited() -> None:
    digest = Digest()
    for subject in range(rules.REMEMBERED + 100):
        digest.take(happening(str(subject), uid=str(subject)), now=0)
    assert len(digest._heard) == rules.REMEMBERED  # noqa: SLF001 - what the test is about
    assert len(digest._buckets) == rules.REMEMBERED  # noqa: SLF001
