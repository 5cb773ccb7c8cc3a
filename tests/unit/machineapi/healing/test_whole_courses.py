"""Healings from beginning to end, in a world that answers, and in one that plays tricks."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from ingot.machineapi.healing.course import (
    OUT_OF_SERVICE,
    SETTLE,
    Act,
    Case,
    Do,
    Forget,
    Look,
    Remember,
    Rest,
    next_step,
)
from ingot.machineapi.healing.hold import HOLD, Hold
from ingot.machineapi.healing.record import Healing, Phase
from ingot.machineapi.seeing import HostSeen, NodeCondition, NodeSeen
from tests.unit.machineapi.healing.ward import MACHINE, NOW, TIMEOUT, healing, host, machine, node


@dataclass
class World:
    """A server with its node; what happens to it is the test's to say.

    Attributes:
        cured_by: which boot is a healthy one; None if none is.
        obeys: whether the power does as it is told.
    """

    cured_by: int | None = 1
    obeys: bool = True
    retry_limit: int = 1
    now: datetime = NOW
    host: HostSeen = field(default_factory=host)
    node: NodeSeen = field(default_factory=node)
    healing: Healing | None = field(default_factory=lambda: healing(since=NOW, began=NOW))
    boots: int = 0
    acts: list[Act] = field(default_factory=list)
    seen_on_since_hold: bool = False
    held_at: datetime = NOW

    def step(self) -> bool:
        """Do one step; return whether there is another."""
        assert self.healing is not None
        self.now += timedelta(milliseconds=1)
        step = next_step(self.case())
        match step:
            case Remember(after, _, _):
                self.healing = after
            case Forget():
                self.healing = None
            case Rest(seconds, _):
                self.passes(seconds)
            case Do(act):
                self.do(act)
        return self.healing is not None and step != Do(Act.REPLACE)

    def case(self) -> Case:
        assert self.healing is not None
        return Case(
            machine=machine(),
            host=self.host,
            node=self.node,
            healing=self.healing,
            sick=not self.node.ready,
            retry_limit=self.retry_limit,
            timeout=TIMEOUT,
            now=self.now,
            look=Look(emptied=OUT_OF_SERVICE in self.node.taints),
        )

    def do(self, act: Act) -> None:
        self.acts.append(act)
        match act:
            case Act.HOLD:
                self.host = replace(self.host, annotations={HOLD: Hold(MACHINE, self.now).text()})
                self.held_at, self.seen_on_since_hold = self.now, self.host.powered_on
            case Act.RELEASE:
                self.host = replace(self.host, annotations={})
            case Act.TAINT:
                self.assert_fenced()
                self.node = replace(self.node, taints=frozenset({OUT_OF_SERVICE}))
            case Act.UNTAINT:
                self.node = replace(self.node, taints=frozenset())
            case Act.REPLACE:
                self.assert_fenced()

    def assert_fenced(self) -> None:
        """Nothing may be let go of whose server could be running."""
        assert HOLD in self.host.annotations
        assert not self.host.powered_on
        assert self.seen_on_since_hold or self.now - self.held_at >= SETTLE

    def passes(self, seconds: float) -> None:
        """Let time pass, in which the host operator does its work."""
        self.now += timedelta(seconds=seconds)
        if self.obeys:
            self.power(on=HOLD not in self.host.annotations)

    def power(self, *, on: bool) -> None:
        if on and not self.host.powered_on:
            self.boots += 1
            ready = "True" if self.boots == self.cured_by else "False"
            condition = {"Ready": NodeCondition(ready, self.now)}
            self.node = replace(self.node, boot=f"boot {self.boots}", conditions=condition)
        elif not on:
            condition = {"Ready": NodeCondition("Unknown", self.now)}
            self.node = replace(self.node, conditions=condition)
        self.host = replace(self.host, powered_on=on)
        self.seen_on_since_hold |= on


def run(world: World, steps: int = 2000) -> World:
    for _ in range(steps):
        if not world.step():
            return world
    return world


def test_a_hung_machine_is_back_after_one_power_cycle() -> None:
    world = run(World())
    assert world.healing is None
    assert world.acts == [Act.HOLD, Act.TAINT, Act.RELEASE, Act.UNTAINT]
    assert world.boots == 1


def test_a_machine_that_needs_two_is_back_after_two() -> None:
    world = run(World(cured_by=2, retry_limit=2))
    assert world.healing is None
    assert world.boots == 2
    assert OUT_OF_SERVICE not in world.node.taints


@pytest.mark.parametrize("limit", [1, 3])
def test_a_machine_that_never_comes_back_is_replaced_with_its_server_off(limit: int) -> None:
    world = run(World(cured_by=None, retry_limit=limit))
    assert world.acts[-1] is Act.REPLACE
    assert world.boots == limit
    assert not world.host.powered_on


def test_without_a_bmc_that_answers_nothing_is_let_go_for_days() -> None:
    world = run(World(obeys=False), steps=10_000)
    assert world.now - NOW > timedelta(days=3)
    assert world.acts == [Act.HOLD]
    assert world.healing is not None
    assert world.healing.phase is Phase.FENCING


@pytest.mark.parametrize("seed", range(200))
def test_whatever_happens_nothing_is_let_go_whose_server_may_run(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    world = World(cured_by=chance.choice([None, 1, 2, 3]), retry_limit=chance.randint(1, 3))
    for _ in range(300):
        if not world.step():
            break
        match chance.randint(0, 12):
            case 0:
                world.power(on=True)
            case 1:
                world.power(on=False)
            case 2:
                world.host = replace(world.host, annotations={})
            case 3:
                world.obeys = not world.obeys
            case 4:
                world.node = replace(world.node, taints=frozenset())
            case _:
                pass
