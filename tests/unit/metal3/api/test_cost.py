"""A thousand hosts are read again and again, so reading must cost little."""

from __future__ import annotations

import gc
import time
import tracemalloc

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.reading import read
from tests.unit.metal3.api.hosts import raw_host

HOSTS = 1000


def test_a_thousand_hosts_are_read_within_150_milliseconds_of_processor_time() -> None:
    raw = [raw_host(f"host-{number}") for number in range(HOSTS)]
    read(BareMetalHost, raw[0])

    def cost() -> float:
        begin = time.process_time()
        for one in raw:
            read(BareMetalHost, one)
        return time.process_time() - begin

    assert min(cost() for _ in range(5)) < 0.15


def test_a_host_that_is_read_takes_little_more_than_its_json() -> None:
    raw = [raw_host(f"host-{number}") for number in range(100)]
    read(BareMetalHost, raw[0])
    gc.collect()
    tracemalloc.start()
    hosts = [read(BareMetalHost, one) for one in raw]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / len(hosts) < 10_000
