"""Two operators of one site: one acts, and the other takes over."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from tests.e2e.site import eventually
from tests.operator_site.counting import by_kind
from tests.operator_site.operator import Operator
from tests.operator_site.process import connections
from tests.operator_site.site import OperatorSite, metal3_root, operator_site

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

WITHIN = 600.0
STARTS_WITHIN = 120.0
LEASE_SECONDS = 20.0
TERMS = {
    "LEASE_DURATION_SECONDS": f"{LEASE_SECONDS:g}",
    "RENEW_DEADLINE_SECONDS": "14",
    "RETRY_PERIOD_SECONDS": "1",
}
BUSY = 10.0
"""What a loaded machine may take longer, in seconds."""
FIRST, SECOND, THIRD = range(10), range(10, 20), range(20, 24)


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    folder = tmp_path_factory.mktemp("site")
    with metal3_root(folder) as root, operator_site(folder, root, count=24) as started:
        yield started


def leads(site: OperatorSite, operator: Operator) -> bool:
    """Whether an operator holds the lease: its identity has its process in it."""
    return f"_{operator.pid}_" in site.cluster.leader()


def seconds_until_it_leads(site: OperatorSite, operator: Operator) -> float:
    began = time.monotonic()
    eventually(lambda: leads(site, operator), within=STARTS_WITHIN, every=0.1)
    return time.monotonic() - began


def acts(site: OperatorSite, operator: Operator) -> bool:
    """Whether an operator speaks with Ironic."""
    return connections(operator.pid, site.ironic.conf.api.port) > 0


def stands_by(site: OperatorSite, operator: Operator) -> bool:
    """Whether an operator has found the API server: from then on it knows the lease."""
    return connections(operator.pid, site.cluster.api.port) > 0


def test_exactly_one_acts_and_the_other_takes_over(site: OperatorSite) -> None:
    first, second = site.operator(**TERMS), site.operator(**TERMS)
    first.start()
    seconds_until_it_leads(site, first)
    second.start()

    site.add_hosts(FIRST)
    eventually(lambda: acts(site, first), within=WITHIN, every=0.05)
    deadline = time.monotonic() + WITHIN
    while site.hosts.states()["available"] < len(FIRST):
        assert not acts(site, second), "both act"
        assert time.monotonic() < deadline, site.hosts.summary()
        time.sleep(0.05)
    assert second.is_running, second.said[-3000:]
    assert by_kind(site.requests.new())["POST /nodes"] == len(FIRST)

    first.stop()
    handed_over = seconds_until_it_leads(site, second)
    assert handed_over < LEASE_SECONDS / 2, "it waited for a lease that was given up"
    site.add_hosts(SECOND)
    site.wait_until_available(len(FIRST) + len(SECOND), within=WITHIN)
    assert by_kind(site.requests.new())["POST /nodes"] == len(SECOND)

    first.start()
    eventually(lambda: stands_by(site, first), within=STARTS_WITHIN, every=0.1)
    second.kill()
    taken_over = seconds_until_it_leads(site, first)
    assert taken_over < LEASE_SECONDS + BUSY
    site.add_hosts(THIRD)
    site.wait_until_available(len(FIRST) + len(SECOND) + len(THIRD), within=WITHIN)
    assert not site.hosts.errors()
    assert not any(site.bmcs.actions().values())
