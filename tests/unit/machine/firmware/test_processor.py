"""Which processor a machine keeps to."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from ingot.machine.firmware.processor import least_shared, machines_processors

CHOOSES = """
import os, sys
from ingot.machine.firmware.processor import keep_to_one_processor
keep_to_one_processor()
print(*os.sched_getaffinity(0), flush=True)
sys.stdin.read()
"""


@given(st.sets(st.integers(0, 9), min_size=1), st.integers(1, 40))
def test_machines_are_spread_evenly(allowed: set[int], count: int) -> None:
    taken: list[int] = []
    for _ in range(count):
        taken.append(least_shared(allowed, taken))
    shares = [taken.count(one) for one in allowed]
    assert set(taken) <= allowed
    assert max(shares) - min(shares) <= 1


def test_one_that_has_a_processor_keeps_it() -> None:
    only = min(os.sched_getaffinity(0))
    done = subprocess.run(
        ["taskset", "--cpu-list", str(only), sys.executable, "-c", CHOOSES],
        input="",
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [str(only)]


def test_those_that_start_together_are_spread_too() -> None:
    allowed = os.sched_getaffinity(0)
    taken = list(machines_processors())
    for _ in range(len(allowed) + 1):
        taken.append(least_shared(allowed, taken))
    words = [sys.executable, "-c", CHOOSES, "ingot.machine.firmware"]
    started = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(len(allowed) + 1)
    ]
    chosen = [int(process.stdout.readline()) for process in started if process.stdout]
    for process in started:
        process.communicate("")
    assert sorted(chosen) == sorted(taken[-len(chosen) :])
