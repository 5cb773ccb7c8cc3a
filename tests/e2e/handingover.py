"""What clients saw of the API while it was handed over, and what machines tell of that time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from tests.e2e.cluster import Cluster
from tests.e2e.creating import ASKED_A_SECOND
from tests.onprem_site.availability import Asked, failures, gaps

LEASE_SECONDS = 10.0
"""Kubernetes' own: who cannot renew a lease for so long ends, and another begins in its place."""
LOG_LINES = 60
VIP_LOG = "cat /var/log/pods/ingot-infra_*/*/*.log | grep -E 'VIP|balancer|haproxy|is (UP|DOWN)'"


def failed_seconds(answers: Sequence[Asked], *, begin: float, end: float) -> float:
    """Return for how long, in sum, the API did not answer as ready between two moments."""
    failed = [one for one in answers if begin <= one.at <= end and one.server is None]
    return len(failed) / ASKED_A_SECOND


def longest_silence(answers: Sequence[Asked], *, begin: float, end: float) -> float:
    """Return the longest time without an answer that lies at least partly between two moments."""
    found = gaps(answers, beyond=0)
    return max((one.seconds for one in found if one.end >= begin and one.begin <= end), default=0.0)


def began(journal: InstallJournal, phase: Phase) -> float:
    """Return when a phase began, on the clock that clients' answers are told by."""
    offset = time.time() - time.monotonic()
    found = next(one for one in journal.entries() if one.what == phase and one.state == "began")
    return found.at.timestamp() - offset


def explained(cluster: Cluster, *, begin: float, end: float) -> str:
    """Return when nobody answered, counted from the beginning, and what else is known of it."""
    asked = [one for one in cluster.created.answers if begin <= one.at <= end]
    said = [
        line
        for path in sorted(cluster.directory.parent.glob("create-*.log"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    parts = [
        f"{len(asked)} questions in {end - begin:.0f} s; not answered, in seconds from the first:",
        *_outages(asked, begin),
        "what the command said:",
        *said[-LOG_LINES:],
    ]
    for name in ("cp-0", "cp-1", "cp-2"):
        told = cluster.ssh(name, f"{VIP_LOG} | tail -n {LOG_LINES}")
        parts += [f"VIPs and balancer by {name}:", told]
    return "\n".join(parts)


def _outages(asked: Sequence[Asked], begin: float) -> Iterator[str]:
    ordered = sorted(asked, key=lambda one: one.at)
    for answered, run in groupby(ordered, key=lambda one: one.server is not None):
        found = list(run)
        if not answered:
            why = ", ".join(f"{count} times {what}" for what, count in failures(found).items())
            yield f"  {found[0].at - begin:.1f} to {found[-1].at - begin:.1f}: {why}"
