"""A sequence of faults happens as it is written, and all is well after it."""

from __future__ import annotations

from tests.integration.onprem_site.handwritten import keepalived
from tests.onprem_site.faults import Faults
from tests.onprem_site.playing import play
from tests.onprem_site.prober import watching
from tests.onprem_site.sequence import Kind, Trouble, trouble
from tests.onprem_site.site import Site

EVERY_KIND = """
seed 0
0.1 0.6 partition control-0 0
0.2 0.5 clock control-1 3600
0.7 1.2 cut control-1 0
0.8 1.3 loss - 20
1.4 1.9 freeze control-0 0
1.5 2.0 delay control-1 0.1
2.1 2.6 power control-0 0
2.2 2.7 starve control-1 0.2
2.8 3.3 pause control-1 0
3.4 3.9 kill control-0 0
"""


def played(site: Site, faults: Faults, told: Trouble) -> None:
    """Play a sequence over two nodes with keepalived, and see one holder at its end."""
    vip = site.plan.all_clusters[0].api_vips[0]
    priorities = {"control-0": 60, "control-1": 50}
    seats = [site[name].seat for name in priorities]

    def begin(name: str, _: Kind | None = None) -> None:
        keepalived(site[name], vip, seats, priority=priorities[name])

    with watching(site, vip) as prober:
        for name in priorities:
            begin(name)
        prober.wait_for(vip, "control-0", within=10, lasting=0.5)
        play(told, faults, program="keepalived", revive=begin)
        prober.wait_for(vip, "control-0", within=15, lasting=1)


def test_every_kind_of_fault_is_played(site: Site, faults: Faults) -> None:
    told = Trouble.read(EVERY_KIND)
    assert {fault.kind for fault in told.faults} == set(Kind)
    played(site, faults, told)


def test_a_sequence_by_chance_is_played(site: Site, faults: Faults) -> None:
    played(site, faults, trouble(7, ("control-0", "control-1"), seconds=5))
