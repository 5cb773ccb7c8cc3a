"""How long clients of a VIP are without it, with Ingot and by upstream's values, side by side.

Both are clusters of one site (tests/onprem_site): the same wire, servers, daemons and client, in
the same minutes, in turn. The client asks a hundred times a second, each time on a new connection,
and gives up after a second. Several upstream clusters are struck at the same time, as theirs takes
long, half a minute at worst; ours is struck while nothing else goes wrong.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.binaries import coredns
from tests.bench import onprem_cost
from tests.bench.onprem_cases import CASES, Case, Moment
from tests.bench.onprem_sides import Ours, Side, Upstream, serve_ingress
from tests.bench.onprem_upstream_files import ANNOUNCED, CURRENT, Checks
from tests.e2e.site import eventually
from tests.integration.onprem.monitored import Monitored, cluster_of
from tests.onprem_site.availability import Asked, Client, asking, failures, longest_gap
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Role
from tests.onprem_site.prober import Prober, watching
from tests.onprem_site.site import opened_site

SAMPLES: Final = 20
OURS: Final = "ours"
SETTLES_WITHIN: Final = 120.0
OVER_WITHIN: Final = 60.0
BEFORE: Final = 0.3
AFTER: Final = 0.5
AIM: Final = 1 / 3
SEED: Final = 7
COST: Final = "cost"
NAMES: Final = (*(case.name for case in CASES), COST)


@dataclass(frozen=True, slots=True)
class Gap:
    """What a client saw of one strike, in seconds.

    Attributes:
        failing: from the first question that nobody answered to the first of those from which on
            all were answered.
        silent: the longest time in which no answer came.
        lost: how many questions nobody answered.
    """

    failing: float
    silent: float
    lost: int


@dataclass
class Watched:
    """A side, with whoever sees who holds its VIP."""

    side: Side
    case: Case
    seen: Prober

    def holder(self) -> Node | None:
        """Return who alone holds the VIP now."""
        held = self.seen.holders(self.case.vip(self.side))
        return self.side.bed.site[next(iter(held))] if len(held) == 1 else None

    def is_settled(self) -> bool:
        """Return whether all is well, and everybody could hold the VIP."""
        candidates = self.case.candidates(self.side)
        names = {node.name for node in candidates}
        return (
            self.holder() in candidates
            and all(self.side.is_eligible(one, self.case.vip(self.side)) for one in candidates)
            and (self.case.is_ingress or all(self.side.ready(one) == names for one in candidates))
        )


def report(
    names: Sequence[str] = NAMES, *, samples: int = SAMPLES, announced: bool = False
) -> None:
    """Print what clients saw of each case, and what the daemons cost."""
    if os.geteuid() != 0:
        print("On-prem networking: not measured, since namespaces are made by root only")
        return
    program = make(Store(), [coredns()], Silent())[-1].artefact.path / "coredns"
    checks = ANNOUNCED if announced else CURRENT
    print(f"On-prem networking: {samples} strikes each, {os.cpu_count()} cores")
    for case in CASES:
        if case.name in names:
            with tempfile.TemporaryDirectory() as folder:
                ours, theirs = measured(case, Path(folder), program, samples, checks)
            _print_case(case, ours, theirs)
    if COST in names:
        with tempfile.TemporaryDirectory() as folder:
            onprem_cost.report(Path(folder), program)


def measured(
    case: Case, folder: Path, program: Path, samples: int, checks: Checks
) -> tuple[list[Gap], list[Gap]]:
    """Strike both sides in turn, and return what was seen of ours and of upstream's."""
    ours: list[Gap] = []
    theirs: list[Gap] = []
    with (
        _started(case, folder, program, checks) as (our, lanes),
        ThreadPoolExecutor(len(lanes)) as pool,
    ):
        # Moments by chance, but the same ones in each run; nothing secret comes of them.
        chances = [random.Random(SEED + lane) for lane in range(len(lanes) + 1)]  # noqa: S311
        while len(theirs) < samples:
            ours += [_struck(our, chances[0]) for _ in lanes[::2]]
            theirs += pool.map(_struck, lanes, chances[1:])
            ours += [_struck(our, chances[0]) for _ in lanes[1::2]]
    return ours, theirs


@contextmanager
def _started(
    case: Case, folder: Path, program: Path, checks: Checks
) -> Iterator[tuple[Watched, list[Watched]]]:
    lanes = [f"upstream-{number}" for number in range(case.lanes)]
    # A site has addresses for three clusters, and sites do not see each other.
    with ExitStack() as ending:
        watched = [
            ending.enter_context(_running(case, bed, checks))
            for index, clusters in enumerate(((OURS, *lanes[:2]), tuple(lanes[2:])))
            if clusters
            for bed in ending.enter_context(_beds(case, folder / str(index), program, clusters))
        ]
        yield watched[0], watched[1:]


@contextmanager
def _beds(
    case: Case, folder: Path, program: Path, clusters: tuple[str, ...]
) -> Iterator[list[Monitored]]:
    folder.mkdir()
    with opened_site(folder, replace(case.plan, clusters=clusters)) as site:
        yield [cluster_of(site, index, program) for index in range(len(clusters))]


@contextmanager
def _running(case: Case, bed: Monitored, checks: Checks) -> Iterator[Watched]:
    side: Side = Ours(bed) if bed.cluster.name == OURS else Upstream(bed, checks)
    bed.serve(*bed.site.of(bed.cluster.name, Role.CONTROL))
    side.run(*bed.site.of(bed.cluster.name))
    if case.is_ingress:
        serve_ingress(side, case.candidates(side))
    with watching(bed.site, case.vip(side)) as seen:
        yield Watched(side, case, seen)


def _struck(watched: Watched, chance: random.Random) -> Gap:
    """Let it go wrong once when all is well, mend it, and return what a client saw."""
    case, side = watched.case, watched.side
    eventually(watched.is_settled, within=SETTLES_WITHIN, every=0.1)
    time.sleep(chance.uniform(0, min(case.phase, 1) if isinstance(side, Ours) else case.phase))
    port, path = (80, "/") if case.is_ingress else (6443, "/readyz")
    with asking(side.bed.site.client, case.vip(side), port, path) as client:
        time.sleep(BEFORE)
        holder = watched.holder()
        assert holder is not None, "it was lost with nothing wrong"
        others = [node for node in case.candidates(side) if node is not holder]
        at = Moment(side, holder, chance.choice(others))
        begun = time.monotonic()
        case.strike(at)

        def is_over() -> bool:
            now = watched.holder()
            return now is not None and case.is_over(at, now)

        eventually(is_over, within=OVER_WITHIN, every=0.02)
        eventually(lambda: _is_served(client), within=OVER_WITHIN, every=0)
    case.mend(at)
    return gap_of(client.since(begun - BEFORE / 2))


def _is_served(client: Client) -> bool:
    """Look for a moment, and return whether all that came to an end in it was answered."""
    begun = time.monotonic()
    time.sleep(AFTER)
    asked = client.since(begun)
    return bool(asked) and all(one.server is not None for one in asked)


def gap_of(asked: Sequence[Asked]) -> Gap:
    """Return what a client saw of one strike."""
    lost = [one.at for one in asked if one.server is None]
    if not lost:
        return Gap(0.0, longest_gap(asked), 0)
    first, last = min(lost), max(lost)
    again = min((one.at for one in asked if one.at > last), default=last)
    return Gap(again - first, longest_gap(asked), failures(asked).total())


def _print_case(case: Case, ours: Sequence[Gap], theirs: Sequence[Gap]) -> None:
    print(f"  {case.what} ({case.name}; {len(ours)} of ours, {len(theirs)} of upstream's)")
    for what, kind in (("some questions fail", "failing"), ("nobody answers", "silent")):
        our, their = ([getattr(gap, kind) for gap in gaps] for gaps in (ours, theirs))
        print(f"    {what:<22}ours {_shown(our)}   upstream {_shown(their)}   {_ratio(our, their)}")
    for side, gaps in (("ours", ours), ("upstream", theirs)):
        each = " ".join(f"{gap.failing:.2f}" for gap in sorted(gaps, key=lambda gap: gap.failing))
        print(f"    {'each, failing':<22}{side} {each}")
    lost = [statistics.median(gap.lost for gap in gaps) for gaps in (ours, theirs)]
    print(f"    {'questions lost':<22}ours {lost[0]:.0f}, upstream {lost[1]:.0f} (medians)")


def _shown(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):6.3f} s ({min(seconds):.3f} to {max(seconds):.3f})"


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    least = 0.1  # Below it there was no gap, but the next of a hundred questions a second.
    their = statistics.median(theirs)
    if their < least:
        return "nothing to compare"
    ratio = statistics.median(ours) / their
    return f"ratio {ratio:.2f} ({'a third at most' if ratio <= AIM else 'MORE than a third'})"
