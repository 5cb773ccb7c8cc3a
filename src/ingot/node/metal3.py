"""The containers of metal3 as processes: one word each."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ingot.errors import ExitCode
from ingot.node.running import log_to_stderr, run_until_told

__all__ = ["metal3"]

USAGE = "usage: ingot-node metal3 prepare|ironic|dnsmasq|httpd|network|images|controller\n"

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
        case ["network" | "images" | "controller" as program]:
            log_to_stderr("info", _LAYOUT)
            {"network": _network, "images": _images, "controller": _controller}[program]()
            return ExitCode.OK
        case _:
            sys.stderr.write(USAGE)
            return ExitCode.USAGE


def _network() -> None:
    from ingot.kube.access import from_environment  # noqa: PLC0415
    from ingot.metal3.pod import network, places  # noqa: PLC0415
    from ingot.metal3.pod.settings import read  # noqa: PLC0415

    settings = read(Path(places.GIVEN) / "settings.json")
    run_until_told(partial(network.run, settings, from_environment()))


def _images() -> None:
    from ingot.metal3.cluster.images import keeping, places, serving  # noqa: PLC0415

    wish = keeping.read(os.environ)
    whole = keeping.kept(wish.images, partial(keeping.found_sources, wish))
    serving.become_server(whole, Path(places.SCRATCH))


def _controller() -> None:
    from ingot.kube.access import from_environment  # noqa: PLC0415
    from ingot.metal3.cluster import program  # noqa: PLC0415
    from ingot.metal3.cluster.names import OPTIONS_FILE  # noqa: PLC0415
    from ingot.metal3.cluster.options import read  # noqa: PLC0415

    options = read(Path(OPTIONS_FILE))
    run_until_told(partial(program.run, options, from_environment()))
