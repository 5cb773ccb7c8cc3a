"""Many hosts: an operator that is killed again and again, and a BMC that is slow for all others."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operator_site.crowd import name_of
from tests.operator_site.following import state_of
from tests.operator_site.operator import Operator
from tests.operator_site.site import OperatorSite, metal3_root, operator_site

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

COUNT = 30
WITHIN = 600.0
KILLS = int(os.environ.get("INGOT_KILLS", "10"))
SEED = int(os.environ.get("INGOT_KILL_SEED", "0")) or random.SystemRandom().randrange(1, 2**32)
MOST_STEPS = 25
"""After how many requests that change something an operator is killed at the latest."""
PATIENCE = 20.0
"""Seconds to wait for such a request, before an operator is killed all the same."""
SLOW_SECONDS = 8.0


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with metal3_root(tmp_path_factory.mktemp("metal3")) as unpacked:
        yield unpacked


@pytest.fixture
def site(root: Path, tmp_path: Path) -> Iterator[OperatorSite]:
    with operator_site(tmp_path, root, count=COUNT) as started:
        yield started


def changed_something(site: OperatorSite) -> int:
    """Return how many requests since the last call were more than a question."""
    return sum(not one.kind.startswith("GET") for one in site.requests.new())


def kill_in_the_midst(site: OperatorSite, operator: Operator, chance: random.Random) -> None:
    """Kill an operator after a number of its steps that nobody knows beforehand."""
    left, deadline = chance.randint(0, MOST_STEPS), time.monotonic() + PATIENCE
    site.requests.skip()
    while left > 0 and time.monotonic() < deadline:
        time.sleep(chance.uniform(0, 0.1))
        left -= changed_something(site)
    assert operator.is_running, operator.said[-3000:]
    operator.kill()
    operator.start()


def test_killed_operators_lose_no_host_and_switch_no_power_twice(site: OperatorSite) -> None:
    print(f"INGOT_KILL_SEED={SEED} INGOT_KILLS={KILLS}")  # noqa: T201 - to run it again
    chance = random.Random(SEED)  # noqa: S311 - to be run again
    everyone = range(COUNT)
    operator = site.operator(LEADER_ELECTION="false")
    operator.start()
    site.add_hosts(everyone)
    kills = [chance.randrange(3) for _ in range(KILLS)]

    for _ in range(kills.count(0)):
        kill_in_the_midst(site, operator, chance)
    site.wait_until_available(COUNT, within=WITHIN)
    assert not any(site.bmcs.actions().values())

    site.provision(everyone)
    for _ in range(kills.count(1)):
        kill_in_the_midst(site, operator, chance)
    site.wait_until_provisioned(COUNT, within=WITHIN)
    for number, actions in site.bmcs.actions().items():
        assert [action.action for action in actions] == ["On"], name_of(number)

    site.deprovision(everyone)
    for _ in range(kills.count(2)):
        kill_in_the_midst(site, operator, chance)
    site.wait_until_available(COUNT, within=WITHIN)
    for number, actions in site.bmcs.actions().items():
        assert [action.before for action in actions] == ["Off", "On"], name_of(number)
        assert not any(action.changes_nothing for action in actions), name_of(number)
    assert set(site.bmcs.power().values()) == {"Off"}
    assert set(site.hosts.hosts) == {name_of(number) for number in everyone}
    assert not site.hosts.removed
    assert not site.hosts.errors()


def test_one_slow_bmc_does_not_delay_the_others(site: OperatorSite) -> None:
    slow, before, beside = 0, range(1, 11), range(11, 21)
    operator = site.operator(LEADER_ELECTION="false")
    operator.start()
    site.add_hosts([29])
    site.wait_until_available(1, within=WITHIN)  # It is at work now, and all is loaded.

    began = time.monotonic()
    site.add_hosts(before)
    site.wait_until_available(1 + len(before), within=WITHIN)
    alone = time.monotonic() - began

    site.bmcs.slow_down(slow, SLOW_SECONDS)
    site.add_hosts([slow])
    site.hosts.wait(lambda host: state_of(host) == "registering", count=1, within=WITHIN)
    began = time.monotonic()
    site.add_hosts(beside)
    site.wait_until_available(1 + len(before) + len(beside), within=WITHIN)
    together = time.monotonic() - began
    assert state_of(site.hosts.hosts[name_of(slow)]) != "available", "it was not slow at all"
    assert together < 2 * alone + SLOW_SECONDS / 2, (alone, together)

    site.bmcs.slow_down(slow, 0)
    site.wait_until_available(2 + len(before) + len(beside), within=WITHIN)
