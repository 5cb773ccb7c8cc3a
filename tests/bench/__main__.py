"""Prints the figures that the reference page docs/reference/performance.md holds.

python -m tests.bench                                            all of them
python -m tests.bench operator --hosts 100 --hardware redfish    one cell of the largest
python -m tests.bench onprem --case holder-crash --samples 20    one gap that a client sees
python -m tests.bench cluster                                    a cluster, by phase
python -m tests.bench workers --samples 2                        one worker more, by step
"""

from __future__ import annotations

import argparse
import signal
import sys

from tests.bench import (
    artefacts,
    cli_start,
    cluster,
    lab,
    onprem,
    operator,
    ramdisk,
    validation,
    workers,
)
from tests.operator_site.ironic import Hardware


def main() -> None:
    """Run each benchmark in turn, or the one that is named."""
    # What was started is ended by `finally`, which a signal would pass over.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    asked = _asked()
    if asked.bench == "operator":
        operator.report(asked.hosts or operator.SIZES, asked.hardware or tuple(Hardware))
        return
    if asked.bench == "onprem":
        onprem.report(asked.case or onprem.NAMES, samples=asked.samples, announced=asked.announced)
        return
    if asked.bench == "cluster":
        cluster.report()
        return
    if asked.bench == "workers":
        workers.report(
            samples=asked.samples, only_claims=asked.claims, controllers=asked.controllers
        )
        return
    start = cli_start.report()
    validation.report(start)
    artefacts.report()
    ramdisk.report()
    lab.report()
    operator.report()
    onprem.report()
    cluster.report()
    workers.report()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.bench", description="Measure, and print figures.")
    benches = parser.add_subparsers(dest="bench", metavar="operator|onprem|cluster|workers")
    benches.add_parser("cluster", help="how long a cluster takes to make, by phase")
    one = benches.add_parser("operator", help="hosts on real Ironic, and what they cost")
    one.add_argument("--hosts", type=int, action="append", help="how many; may be repeated")
    one.add_argument("--hardware", type=Hardware, action="append", choices=tuple(Hardware))
    vips = benches.add_parser("onprem", help="gaps that clients of a VIP see, beside upstream's")
    vips.add_argument("--case", action="append", choices=onprem.NAMES, help="may be repeated")
    vips.add_argument("--samples", type=int, default=onprem.SAMPLES, help="of each case and side")
    vips.add_argument("--announced", action="store_true", help="upstream's next haproxy values")
    more = benches.add_parser("workers", help="from `kubectl scale` to a ready node, and claims")
    more.add_argument("--samples", type=int, default=workers.SAMPLES, help="of each")
    more.add_argument("--claims", action="store_true", help="ten at once, and no lab")
    more.add_argument("--controllers", type=int, default=1, help="that claim at the same time")
    return parser.parse_args()


if __name__ == "__main__":
    main()
