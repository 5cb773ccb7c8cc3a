"""The report of an install: what was built, how to use it, how long all took, what was overcome.

It is made when all of the cluster is there, from the journal, from what was seen on the way, and
from what the operator wrote down of each server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingot.assets import kubeconfig
from ingot.assets.endpoints import api_names, api_url, apps_domain
from ingot.config.model import InstallConfig
from ingot.installer.apiview import HostTime, Seen
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import Entry, InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress

__all__ = [
    "HostReport",
    "PhaseReport",
    "Report",
    "as_json",
    "hosts_of",
    "phases_of",
    "report_of",
    "runs_in",
    "write_report",
]

FILE = "report.json"


@dataclass(frozen=True, slots=True)
class PhaseReport:
    """A phase and the seconds it took."""

    name: str
    began: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class HostReport:
    """A server, and the seconds that each operation on it took, the last time it was done."""

    name: str
    role: str
    state: str
    operations: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An install that has ended well.

    Attributes:
        cluster: the cluster's domain.
        api: where its API is.
        names: of the API, for those whose DNS knows them.
        kubeconfig: how to prove that one is its administrator.
        began: when the install began.
        seconds: how long it took, from its beginning to its end.
        runs: how often `create cluster` was run for it.
        phases: what it did, in this order.
        hosts: the servers.
        overcome: what went wrong in any run, and did not keep it.
        apps: where applications are reached, each by a name of its own.
        ingress_vip: the address that all those names lead to.
        vip_holder: the node that the API's VIP is on; empty where nobody says.
    """

    cluster: str
    api: str
    names: tuple[str, ...]
    kubeconfig: Path
    began: datetime
    seconds: float
    runs: int
    phases: tuple[PhaseReport, ...]
    hosts: tuple[HostReport, ...]
    overcome: tuple[str, ...]
    apps: str
    ingress_vip: str
    vip_holder: str = ""


def report_of(
    directory: InstallDirectory, config: InstallConfig, progress: Progress, seen: Seen
) -> Report:
    """Return the report of an install that has ended.

    Args:
        directory: where it is, with its journal.
        config: the cluster as asked for.
        progress: all that is known of the last run.
        seen: a last look at the API.
    """
    journal = InstallJournal(directory.journal)
    phases = phases_of(journal.phases() or progress.phases)
    began = min((one.began for one in phases), default=datetime.now(UTC))
    ended = max((one.began + timedelta(seconds=one.seconds) for one in phases), default=began)
    return Report(
        cluster=config.cluster_domain,
        api=api_url(config),
        names=api_names(config),
        kubeconfig=(directory.path / kubeconfig.PATH).absolute(),
        began=began,
        seconds=(ended - began).total_seconds(),
        runs=runs_in(journal.entries()),
        phases=phases,
        hosts=hosts_of(seen.hosts, seen.times),
        overcome=tuple(dict.fromkeys((*journal.troubles(), *progress.overcome))),
        apps=f"*.{apps_domain(config)}",
        ingress_vip=str(config.baremetal.ingress_vips[0]),
        vip_holder=seen.vip_holder,
    )


def phases_of(times: Iterable[PhaseTimes]) -> tuple[PhaseReport, ...]:
    """Return how long each phase took; one that was never seen to end took no time."""
    return tuple(
        PhaseReport(
            one.phase.value, one.began, ((one.ended or one.began) - one.began).total_seconds()
        )
        for one in times
    )


def hosts_of(hosts: Iterable[HostProgress], times: Iterable[HostTime]) -> tuple[HostReport, ...]:
    """Return how long what took on each server."""
    took: dict[str, dict[str, float]] = {}
    for one in times:
        if one.began and one.ended:
            length = datetime.fromisoformat(one.ended) - datetime.fromisoformat(one.began)
            took.setdefault(one.host, {})[one.operation] = length.total_seconds()
    return tuple(
        HostReport(host.name, host.role, host.state, took.get(host.name, {})) for host in hosts
    )


def runs_in(entries: Iterable[Entry]) -> int:
    """Return how often the command was run: each run looks for its images."""
    return sum((one.what, one.state) == (Phase.IMAGES.value, "began") for one in entries)


def as_json(report: Report) -> dict[str, object]:
    """Return a report for machines."""
    return {
        "cluster": report.cluster,
        "api": report.api,
        "names": list(report.names),
        "kubeconfig": str(report.kubeconfig),
        "began": report.began.isoformat(),
        "seconds": round(report.seconds, 1),
        "runs": report.runs,
        "phases": [
            {"name": one.name, "began": one.began.isoformat(), "seconds": round(one.seconds, 1)}
            for one in report.phases
        ],
        "hosts": [
            {"name": one.name, "role": one.role, "state": one.state, "seconds": one.operations}
            for one in report.hosts
        ],
        "overcome": list(report.overcome),
        "apps": report.apps,
        "ingressVIP": report.ingress_vip,
        "vipHolder": report.vip_holder,
    }


def write_report(directory: InstallDirectory, report: Report) -> Path:
    """Write a report for its owner alone, and return where."""
    place = directory.hidden / FILE
    fresh = place.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(as_json(report), file, indent=2)
        file.write("\n")
    fresh.replace(place)
    return place
