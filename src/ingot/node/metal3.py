"""The containers of the metal3 pod as processes: one word each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from ingot.errors import ExitCode
from ingot.node.running import log_to_stderr

__all__ = ["metal3"]

USAGE = "usage: ingot-node metal3 prepare|ironic|dnsmasq|httpd\n"

_LAYOUT: Final = "%(asctime)s %(levelname)-7s %(message)s"


def metal3(words: Sequence[str]) -> int:
    """Make the pod ready, or run one of its programs to its end."""
    # Who only keeps a log short has no use for all that preparing needs.
    match words:
        case ["prepare"]:
            from ingot.metal3.pod.preparing import prepare  # noqa: PLC0415

            log_to_stderr("info", _LAYOUT)
            prepare()
            return ExitCode.OK
        case ["ironic" | "dnsmasq" | "httpd" as program]:
            from ingot.metal3.pod import running  # noqa: PLC0415

            programs = {"dnsmasq": running.run_dnsmasq, "httpd": running.run_httpd}
            return programs.get(program, running.run_ironic)()
        case _:
            sys.stderr.write(USAGE)
            return ExitCode.USAGE
