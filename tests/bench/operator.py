"""What many hosts cost the operator, Ironic and the API server, beside upstream's figures.

Everything but the servers is real: see tests/operator_site. No agent runs, so hosts are neither
inspected nor cleaned, and are provisioned with what needs none: a live ISO by virtual media where
BMCs are emulated, any image where Ironic's `fake-hardware` stands for all of it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.integration.ironic.service import unpacked_root
from tests.operator_site.ironic import Hardware
from tests.operator_site.measuring import Cost, Meter
from tests.operator_site.site import OperatorSite, operator_site

SIZES: Final = (100, 300, 1000)
SETTLE_SECONDS: Final = 20.0
REST_SECONDS: Final = 60.0
LEADS_WITHIN: Final = 60.0
SECONDS_A_HOST: Final = 4.0
"""How long a host may take before a run is given up, on top of ten minutes for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What upstream's operator (Go, commit 02aa5059) took on 2 cores, to available.

    Both with the same Ironic 39, in which a Redfish session is found without deriving a key.
    """

    seconds: float
    ironic_cpu: float


REDFISH: Final = {
    100: Anchor(seconds=49, ironic_cpu=34),
    300: Anchor(seconds=148, ironic_cpu=102),
}
UPSTREAM_MINUTE: Final = 122.0
"""Upstream's hosts a minute, to available."""
UPSTREAM_AT_REST: Final = 4.7
"""Its requests of Ironic a second for each 100 hosts, at rest."""
UPSTREAM_MEMORY: Final = "115 to 125"
"""Its megabytes with 1,000 hosts and no Ironic at all."""

AIM_MINUTE: Final = 1.5 * UPSTREAM_MINUTE
AIM_AT_REST: Final = UPSTREAM_AT_REST / 5
AIM_MEMORY: Final = 150.0
AIM_CORE: Final = 10.0


def report(sizes: Sequence[int] = SIZES, hardware: Sequence[Hardware] = tuple(Hardware)) -> None:
    """Print what each number of hosts costs on each kind of hardware."""
    if os.geteuid() != 0:
        print("The host operator: not measured, since Ironic's root is entered as root only")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked_root(Path(folder))
        for kind in hardware:
            for count in sizes:
                _report_cell(Path(folder, f"{kind}-{count}"), root, count, kind)


def _report_cell(folder: Path, root: Path, count: int, hardware: Hardware) -> None:
    folder.mkdir()
    print(f"The host operator: {count} hosts, {hardware}, {os.cpu_count()} cores")
    with operator_site(folder, root, count=count, hardware=hardware) as site:
        operator = site.operator()
        operator.start()
        deadline = time.monotonic() + LEADS_WITHIN
        while not site.cluster.leader():
            assert time.monotonic() < deadline, operator.said[-3000:]
            time.sleep(0.2)
        meter = Meter(site, operator)
        available = _to_available(site, meter, count)
        provisioned = _to_provisioned(site, meter, count)
        time.sleep(SETTLE_SECONDS)
        meter.begin()
        time.sleep(REST_SECONDS)
        rest = meter.read()
        _print_table(count, available, provisioned, rest)
        _print_ratios(count, hardware, available, rest, operator.peak_megabytes)


def _to_available(site: OperatorSite, meter: Meter, count: int) -> Cost:
    site.add_hosts(range(count))
    site.wait_until_available(count, within=_patience(count))
    return meter.read(Counter({"POST secrets": count, "POST baremetalhosts": count}))


def _to_provisioned(site: OperatorSite, meter: Meter, count: int) -> Cost:
    site.provision(range(count))
    site.wait_until_provisioned(count, within=_patience(count))
    return meter.read(Counter({"PATCH baremetalhosts": count}))


def _patience(count: int) -> float:
    return 600 + SECONDS_A_HOST * count


def _print_table(count: int, available: Cost, provisioned: Cost, rest: Cost) -> None:
    print(f"  {'':<34}{'to available':>14}{'to provisioned':>16}{'a minute of rest':>18}")
    steps = (available, provisioned, rest)
    rows = (
        ("seconds", [f"{cost.seconds:.0f}" for cost in steps]),
        ("hosts a minute", [*(f"{60 * count / cost.seconds:.0f}" for cost in steps[:2]), ""]),
        ("CPU seconds of the operator", [f"{cost.operator_cpu:.1f}" for cost in steps]),
        ("CPU seconds of Ironic", [f"{cost.ironic_cpu:.1f}" for cost in steps]),
        ("CPU seconds of the BMCs", [f"{cost.bmcs_cpu:.1f}" for cost in steps]),
        ("CPU seconds of the API and etcd", [f"{cost.api_cpu:.1f}" for cost in steps]),
        ("CPU seconds of all else here", [f"{cost.other_cpu:.1f}" for cost in steps]),
        ("requests of Ironic, a host", [_each(cost.ironic_requests, count) for cost in steps]),
        ("requests of the API server, a host", [_each(cost.api_requests, count) for cost in steps]),
    )
    # Much of all else means that others were at work too, and the times are worth little.
    for name, (first, second, third) in rows:
        print(f"  {name:<34}{first:>14}{second:>16}{third:>18}")
    for name, cost in (("available", available), ("provisioned", provisioned), ("rest", rest)):
        print(f"  Ironic, {name}: {_listed(cost.ironic_requests)}")
        print(f"  API server, {name}: {_listed(cost.api_requests)}")


def _print_ratios(
    count: int, hardware: Hardware, available: Cost, rest: Cost, memory: float
) -> None:
    minute = 60 * count / available.seconds
    each = rest.ironic_requests.total() / rest.seconds / count * 100
    core = 100 * rest.operator_cpu / rest.seconds
    anchor = REDFISH.get(count) if hardware is Hardware.REDFISH else None
    if anchor is not None:
        print(
            f"  beside upstream: {anchor.seconds / available.seconds:.2f} x as fast"
            f" ({anchor.seconds:.0f} s), {available.ironic_cpu / anchor.ironic_cpu:.2f} x"
            f" Ironic's CPU ({anchor.ironic_cpu:.0f} s)"
        )
    if hardware is Hardware.REDFISH:
        print(
            f"  hosts a minute: {minute:.0f}, {minute / UPSTREAM_MINUTE:.2f} x upstream's"
            f" {UPSTREAM_MINUTE:.0f} (aim: {AIM_MINUTE:.0f} with 100 and 300 hosts)"
        )
    print(
        f"  at rest: {each:.2f} requests of Ironic a second for 100 hosts"
        f" (upstream: {UPSTREAM_AT_REST}, aim: {AIM_AT_REST:.2f}),"
        f" operator {core:.1f} % of a core (aim: {AIM_CORE:.0f}),"
        f" Ironic {100 * rest.ironic_cpu / rest.seconds:.1f} %"
    )
    print(
        f"  the operator's peak memory: {memory:.0f} MB (aim: {AIM_MEMORY:.0f} with 1000 hosts;"
        f" upstream without Ironic: {UPSTREAM_MEMORY})"
    )


def _each(requests: Counter[str], count: int) -> str:
    return f"{requests.total() / count:.2f}"


def _listed(requests: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in requests.most_common()) or "nothing"
