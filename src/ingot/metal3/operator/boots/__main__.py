"""`python -m ingot.metal3.operator.boots LOG SIGNAL [--echo] -- COMMAND…`: see `bounding`."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from ingot.metal3.operator.boots.bounding import LIMIT, run_bounded


def main() -> int:
    """Run a program with a bounded log."""
    parser = argparse.ArgumentParser(description="Run a program and keep its log short.")
    parser.add_argument("log", type=Path, help="the file that it writes")
    parser.add_argument("signal", help="what has it begin a new one: USR2 for dnsmasq, USR1 nginx")
    parser.add_argument("--limit", type=int, default=LIMIT, help="bytes (default: %(default)s)")
    parser.add_argument("--echo", action="store_true", help="show its lines here too")
    parser.add_argument("command", nargs="+", help="what to run, in the foreground")
    said = parser.parse_args()
    try:
        reopen = signal.Signals[f"SIG{said.signal}"]
    except KeyError:
        parser.error(f"there is no signal {said.signal}: use USR1 or USR2")
    return asyncio.run(
        run_bounded(said.command, said.log, reopen=reopen, limit=said.limit, echo=said.echo)
    )


if __name__ == "__main__":
    sys.exit(main())
