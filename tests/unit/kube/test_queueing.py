"""The queue against a model of what it promises."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ingot.kube.queueing import WorkQueue

ITEMS = st.sampled_from("abcdef")


def test_item_added_twice_is_handed_out_once() -> None:
    queue: WorkQueue[str] = WorkQueue()
    assert queue.add("a", now=0)
    assert not queue.add("a", now=1)
    assert queue.take(now=3) == ("a", 3)
    assert queue.take(now=3) is None


def test_item_in_work_is_not_handed_out_until_done_and_then_once_more() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a", now=0)
    queue.take(now=0)
    queue.add("a", now=1)
    queue.add("a", now=2)
    assert queue.take(now=3) is None
    assert queue.done("a", now=5) == 5
    assert queue.take(now=6) == ("a", 5)
    queue.done("a", now=6)
    assert queue.take(now=7) is None


def test_earliest_of_several_times_counts() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add_at("a", when=10)
    queue.add_at("a", when=5)
    queue.add_at("a", when=7)
    assert queue.next_due() == 5
    assert (queue.wake(now=4), queue.wake(now=5)) == (0, 1)
    assert queue.next_due() is None
    assert queue.wake(now=100) == 0


def test_time_that_was_asked_for_stays_when_the_item_is_taken_before() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add_at("a", when=60)
    queue.add("a", now=1)
    queue.take(now=1)
    queue.done("a", now=2)
    assert queue.wake(now=60) == 1
    assert queue.take(now=60) == ("a", 0)


def test_item_that_comes_back_goes_to_the_end() -> None:
    queue: WorkQueue[str] = WorkQueue()
    for item in "abc":
        queue.add(item, now=0)
    queue.take(now=0)
    queue.add("a", now=1)
    queue.done("a", now=1)
    assert [taken[0] for _ in range(3) if (taken := queue.take(now=2))] == ["b", "c", "a"]


class QueueMachine(RuleBasedStateMachine):
    """Whatever is added, put off, taken and given back, in whatever order.

    The model knows only wishes: each item's time of the latest add that has not been answered by a
    hand-out since, and the times that were asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.queue: WorkQueue[str] = WorkQueue()
        self.now = 0.0
        self.wished: dict[str, int] = {}
        """Since which step an add waits for an answer."""
        self.due: dict[str, float] = {}
        self.in_work: set[str] = set()
        self.steps = 0
        self.handed = Counter[str]()

    @rule(item=ITEMS)
    def add(self, item: str) -> None:
        self.queue.add(item, now=self.now)
        self._wish(item)

    @rule(item=ITEMS, delay=st.integers(0, 5))
    def put_off(self, item: str, delay: int) -> None:
        self.queue.add_at(item, when=self.now + delay)
        self.due[item] = min(self.due.get(item, self.now + delay), self.now + delay)

    @rule(seconds=st.integers(0, 3))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        self.queue.wake(now=self.now)
        # In the order of their times; those that come together may come in any order.
        for item in sorted(self.due, key=lambda one: self.due[one]):
            if self.due[item] <= self.now:
                del self.due[item]
                self._wish(item, together=True)

    @rule()
    def take(self) -> None:
        taken = self.queue.take(now=self.now)
        waiting = {item: step for item, step in self.wished.items() if item not in self.in_work}
        if taken is None:
            assert not waiting, "an item is lost"
            return
        item, _ = taken
        assert item not in self.in_work, "an item has two workers"
        assert item in waiting, "an item is handed out that nobody asked for"
        assert waiting[item] <= min(waiting.values()), "an item has overtaken another"
        del self.wished[item]
        self.in_work.add(item)
        self.handed[item] += 1

    @precondition(lambda self: self.in_work)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.in_work)))
        self.queue.done(item, now=self.now)
        self.in_work.remove(item)
        if item in self.wished:  # It goes to the end of the line now, and not before.
            self.steps += 1
            self.wished[item] = self.steps

    @invariant()
    def counts_agree(self) -> None:
        ready = [item for item in self.wished if item not in self.in_work]
        assert self.queue.depth == len(ready)
        assert set(self.queue.working) == self.in_work
        assert self.queue.next_due() == min(self.due.values(), default=None)

    def _wish(self, item: str, *, together: bool = False) -> None:
        if item not in self.wished:
            self.steps += 0 if together else 1
            self.wished[item] = self.steps

    def teardown(self) -> None:
        """End all work: then everything that was asked for must come out."""
        self.now += 10
        self.queue.wake(now=self.now)
        wanted = set(self.wished) | set(self.due)
        for item in self.in_work:
            self.queue.done(item, now=self.now)
        came = set()
        while taken := self.queue.take(now=self.now):
            came.add(taken[0])
        assert came == wanted


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=80, stateful_step_count=60, deadline=None)
