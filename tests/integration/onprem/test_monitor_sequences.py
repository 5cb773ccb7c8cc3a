"""Faults by chance: whatever happens, one holder on each side, and one after all of it.

INGOT_SEQUENCES says how many sequences, INGOT_SEED with which they begin. What does not hold is
told with its seed and its faults.
"""

from __future__ import annotations

import os
import time

import pytest

from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE, double, settled
from tests.integration.onprem.monitored import Monitored
from tests.onprem_site.playing import play
from tests.onprem_site.prober import Prober
from tests.onprem_site.sequence import Kind, trouble

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

COUNT = int(os.environ.get("INGOT_SEQUENCES", "4"))
FIRST = int(os.environ.get("INGOT_SEED", "1"))
SECONDS = 10.0

HEALING = 0.2
"""How long it takes to change the rules of the bridge on a busy machine."""

FROZEN = 2.0 - 0.7
"""A frozen keepalived keeps its VIP for up to two seconds; others take over after 0.7 at least."""

KINDS = [kind for kind in Kind if kind is not Kind.CLOCK]
"""No node of this site has a clock of its own."""


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_a_sequence_of_faults_never_gives_a_vip_two_holders(
    trio: Monitored, seen: Prober, seed: int
) -> None:
    faults = trouble(seed, [node.name for node in trio.site.of()], seconds=SECONDS, kinds=KINDS)

    def revive(name: str, kind: Kind) -> None:
        if kind is Kind.POWER:
            trio.serve(trio.site[name])
            trio.watch_over(trio.site[name])

    begun = time.monotonic()
    play(faults, trio.faults, program="keepalived", revive=revive)
    trio.faults.undo()
    eventually(lambda: settled(trio), within=60, every=0.1)
    frozen = any(fault.kind is Kind.PAUSE for fault in faults.faults)
    limit = FROZEN if frozen else ADVERT + LATE + HEALING
    shared = double(trio, seen, begun)
    shown = "\n".join(map(str, seen.spans(trio.api_vip)))
    assert shared <= limit, f"two holders for {shared:.3f} s\n{faults}\n{shown}"
