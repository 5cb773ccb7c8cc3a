"""What the daemons of a node cost at rest, and what they say on the wire, on both sides at once.

Upstream's three watching programs a node, in Go, are not here and not counted; ours is. Nor is
upstream's CoreDNS, which would be the same program as ours, so ours is shown apart. What its
checks cost is the time of `curl` and a shell; upstream's also start `crictl`, which costs more.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.onprem_sides import Ours, Side, Upstream, serve_ingress
from tests.e2e.site import eventually
from tests.integration.onprem.monitored import cluster_of
from tests.onprem_site.node import Node
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.site import Site, opened_site

PLAN: Final = Plan(bootstrap=False, control=3, workers=2, clusters=("ours", "upstream"))
TICKS: Final = os.sysconf("SC_CLK_TCK")
SETTLES_WITHIN: Final = 120.0
SETTLE_SECONDS: Final = 15.0
REST_SECONDS: Final = 60.0

PROGRAMS: Final = ("keepalived", "haproxy", "coredns", "ingot-node")
CHECKS: Final = "checks"
"""What keepalived starts and has waited for."""

WIRE: Final = {"vrrp": "ip protocol 112", "tcp": "ip protocol tcp"}


@dataclass(frozen=True, slots=True)
class Use:
    """What a node's programs have used until a moment."""

    cpu: Counter[str]
    megabytes: Counter[str]


def report(folder: Path, coredns: Path) -> None:
    """Print it, as the mean of all nodes of a role."""
    with opened_site(folder, PLAN) as site:
        sides: list[Side] = [Ours(cluster_of(site, 0, coredns))]
        sides.append(Upstream(cluster_of(site, 1, coredns)))
        for side in sides:
            _start(side)
        eventually(lambda: all(map(_is_settled, sides)), within=SETTLES_WITHIN)
        time.sleep(SETTLE_SECONDS)
        nodes = [node for side in sides for node in _nodes(side)]
        _count(site, sides)
        begun = time.monotonic()
        before = {node.name: _used(node) for node in nodes}
        time.sleep(REST_SECONDS)
        after = {node.name: _used(node) for node in nodes}
        seconds = time.monotonic() - begun
        counted = _counted(site)
    print(f"  at rest for {seconds:.0f} s, mean of the nodes")
    for side in sides:
        for role in (Role.CONTROL, Role.WORKER):
            _print_nodes(_nodes(side, role), before, after, seconds)
    for side in sides:
        _print_traffic(side, counted, seconds)


def _start(side: Side) -> None:
    side.bed.serve(*_nodes(side, Role.CONTROL))
    side.run(*_nodes(side))
    serve_ingress(side, _nodes(side, Role.WORKER))


def _nodes(side: Side, *roles: Role) -> tuple[Node, ...]:
    return side.bed.site.of(side.bed.cluster.name, *roles)


def _is_settled(side: Side) -> bool:
    control, workers = _nodes(side, Role.CONTROL), _nodes(side, Role.WORKER)
    return all(side.is_eligible(node, side.bed.api_vip) for node in control) and all(
        side.is_eligible(node, side.bed.ingress_vip) for node in workers
    )


def _used(node: Node) -> Use:
    cpu: Counter[str] = Counter()
    megabytes: Counter[str] = Counter()
    for pid in node.group.pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            stat = Path("/proc", str(pid), "stat").read_text()
            name = stat.partition("(")[2].rpartition(")")[0]
            fields = [*map(int, stat.rpartition(")")[2].split()[11:15])]
            if name in PROGRAMS:
                cpu[name] += sum(fields[:2])
                cpu[CHECKS if name == "keepalived" else name] += sum(fields[2:])
                megabytes[name] += _proportional_kilobytes(pid)
    return Use(cpu, megabytes)


def _proportional_kilobytes(pid: int) -> int:
    lines = Path("/proc", str(pid), "smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _print_nodes(
    nodes: Sequence[Node], before: dict[str, Use], after: dict[str, Use], seconds: float
) -> None:
    cpu: Counter[str] = Counter()
    memory: Counter[str] = Counter()
    for node in nodes:
        cpu += after[node.name].cpu - before[node.name].cpu
        memory += after[node.name].megabytes
    share = {name: 100 * ticks / TICKS / seconds / len(nodes) for name, ticks in cpu.items()}
    size = {name: kilobytes * 1024 / 1e6 / len(nodes) for name, kilobytes in memory.items()}
    seat = nodes[0].seat
    print(f"    {seat.cluster}, {seat.role.value}:")
    for name in (*PROGRAMS, CHECKS):
        if name in share or name in size:
            print(
                f"      {name:<12}{share.get(name, 0):6.2f} % of a core{size.get(name, 0):7.1f} MB"
            )
    print(f"      {'all':<12}{sum(share.values()):6.2f} % of a core{sum(size.values()):7.1f} MB")


def _count(site: Site, sides: Sequence[Side]) -> None:
    """Have the bridge count what each side's nodes say."""
    counters, rules = [], []
    for side in sides:
        ports = ", ".join(f'"{node.seat.port}"' for node in _nodes(side))
        for what, match in WIRE.items():
            name = f"{side.bed.cluster.name}_{what}"
            counters.append(f"counter {name} {{ }}")
            rules.append(f"iifname {{ {ports} }} {match} counter name {name}")
    chain = ("type filter hook forward priority -10; policy accept;", *rules)
    text = "\n".join(("table bridge bench {", *counters, "chain forward {", *chain, "}", "}", ""))
    _nft(site, "-f", "-", told=text)


def _counted(site: Site) -> dict[str, tuple[int, int]]:
    objects = json.loads(_nft(site, "-j", "list", "counters"))["nftables"]
    found = (one["counter"] for one in objects if "counter" in one)
    return {one["name"]: (one["packets"], one["bytes"]) for one in found}


def _print_traffic(side: Side, counted: dict[str, tuple[int, int]], seconds: float) -> None:
    for what in WIRE:
        packets, size = counted[f"{side.bed.cluster.name}_{what}"]
        print(
            f"    {side.bed.cluster.name}, {what} of all nodes: {packets / seconds:.1f} packets"
            f" and {size / seconds:.0f} bytes a second"
        )


def _nft(site: Site, *words: str, told: str = "") -> str:
    command = ["nsenter", f"--net=/run/netns/{site.name}", "nft", *words]
    return subprocess.run(
        command, input=told, check=True, capture_output=True, text=True, timeout=30
    ).stdout
