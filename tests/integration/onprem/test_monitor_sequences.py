"""Faults by chance: whatever happens, one holder on each side, and one after all of it.

INGOT_SEQUENCES says how many sequences, INGOT_SEED with which they begin. As many as INGOT_SITES
says are played side by side, each at a site of its own. What does not hold is told with its seed
and its faults; for how long two may hold a VIP is said in `tests.onprem_site.judging`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import contests, settled
from tests.integration.onprem.monitored import Monitored, control_plane
from tests.onprem_site.playing import play
from tests.onprem_site.prober import watching
from tests.onprem_site.sequence import Kind, Trouble, trouble

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

COUNT = int(os.environ.get("INGOT_SEQUENCES", "6"))
FIRST = int(os.environ.get("INGOT_SEED", "1"))
SITES = int(os.environ.get("INGOT_SITES", "3"))
SECONDS = 10.0
SETTLES_WITHIN = 60.0

KINDS = [kind for kind in Kind if kind is not Kind.CLOCK]
"""No node of this site has a clock of its own."""

BATCHES = [
    range(first, min(first + SITES, FIRST + COUNT)) for first in range(FIRST, FIRST + COUNT, SITES)
]


@pytest.fixture(scope="module")
def trios(
    tmp_path_factory: pytest.TempPathFactory, coredns_program: Path
) -> Iterator[list[Monitored]]:
    """Sites of three nodes each, on which one sequence is played after the other."""
    folder = tmp_path_factory.mktemp
    with ExitStack() as opened:
        yield [
            opened.enter_context(control_plane(folder("trio"), coredns_program, nodes=3))
            for _ in range(min(SITES, COUNT))
        ]


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_a_sequence_of_faults_never_gives_a_vip_two_holders(
    trios: list[Monitored], seeds: range
) -> None:
    with ThreadPoolExecutor(len(trios)) as players:
        told = [found for found in players.map(wrong_after, trios, seeds) if found]
    assert not told, "\n\n".join(("", *told))


def wrong_after(trio: Monitored, seed: int) -> str:
    """Play a sequence, and return what was wrong; nothing, if nothing was."""
    faults = trouble(seed, [node.name for node in trio.site.of()], seconds=SECONDS, kinds=KINDS)
    with watching(trio.site, trio.api_vip) as seen:
        try:
            eventually(lambda: settled(trio), within=SETTLES_WITHIN, every=0.1)
            begun = time.monotonic()
            _play(trio, faults)
            eventually(lambda: settled(trio), within=SETTLES_WITHIN, every=0.1)
        except (TimeoutError, AssertionError) as error:
            standings = {node.name: trio.standing(node, trio.api_vip) for node in trio.site.of()}
            return f"{error!r}\n{standings}\n{faults}\n{trio.site.folder}"
        found = contests(trio, seen, begun)
        shown = "\n".join(str(span) for span in seen.spans(trio.api_vip))
    for contest in found:
        print(f"seed {seed}: {contest}")  # noqa: T201
    wrong = [str(one) for one in found if one.is_too_long]
    if not wrong:
        return ""
    real = "\n".join(str(one) for one in trio.faults.happened if one.begin >= begun)
    return "\n".join((*wrong, str(faults), real, shown, str(trio.site.folder)))


def _play(trio: Monitored, faults: Trouble) -> None:
    def revive(name: str, kind: Kind) -> None:
        if kind is Kind.POWER:
            trio.serve(trio.site[name])
            trio.watch_over(trio.site[name])

    try:
        play(faults, trio.faults, program="keepalived", revive=revive)
    finally:
        trio.faults.undo()
