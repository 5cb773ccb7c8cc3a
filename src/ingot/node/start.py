"""The entry point of `ingot-node`: one word says what to do.

A word's code is loaded when it is asked for: a node runs several of these, and memory counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from ingot import __version__
from ingot.errors import ExitCode, IngotError

__all__ = ["main"]


def _version() -> int:
    sys.stdout.write(f"ingot-node {__version__}\n")
    return ExitCode.OK


def _bootstrap() -> int:
    from ingot.node.bootstrap.start import bootstrap  # noqa: PLC0415 - see above

    return bootstrap()


def _metal3() -> int:
    from ingot.node.metal3 import metal3  # noqa: PLC0415 - see above

    return metal3(sys.argv[2:])


def _host_gateway() -> int:
    from ingot.node.hostgateway import gateway  # noqa: PLC0415 - see above

    return gateway()


def _operator() -> int:
    from ingot.node.operator import operate  # noqa: PLC0415 - see above

    return operate()


def _machine_controller() -> int:
    from ingot.node.machineapi import control_machines  # noqa: PLC0415 - see above

    return control_machines()


def _onprem() -> int:
    from ingot.node.onprem import monitor  # noqa: PLC0415 - see above

    return monitor()


def _vip() -> int:
    from ingot.node.onprem import vip  # noqa: PLC0415 - see above

    return vip(sys.argv[2:])


def _configserver() -> int:
    from ingot.node.configserver import serve  # noqa: PLC0415 - see above

    return serve(sys.argv[2:])


def _join() -> int:
    from ingot.node.join import join  # noqa: PLC0415 - see above

    return join()


_WORDS: Final[dict[str, tuple[Callable[[], int], str]]] = {
    "bootstrap": (_bootstrap, "build a control plane from this machine, and hand it over"),
    "metal3": (_metal3, "be a container of metal3: `prepare|ironic|dnsmasq|httpd|…`"),
    "host-gateway": (_host_gateway, "keep this node's routes to the pods of other nodes"),
    "configserver": (_configserver, "hand configs out to nodes, as the environment says"),
    "join": (_join, "make this machine a node, as /etc/ingot/join.json says"),
    "machine-controller": (_machine_controller, "look after Machines and MachineSets"),
    "onprem": (_onprem, "look after this node's network, as the file named by INGOT_ONPREM says"),
    "operator": (_operator, "operate BareMetalHosts, as the environment says"),
    "version": (_version, "say which release this is"),
    "vip": (_vip, "say who holds the VIPs: `vip status [-o json]`"),
}
_WITH_MORE: Final = frozenset({"configserver", "metal3", "vip"})
"""Words that others follow."""


def main() -> int:
    """Do what the first word says and return the process's exit code."""
    match sys.argv[1:]:
        case [word, *more] if word in _WORDS and (not more or word in _WITH_MORE):
            return _done(_WORDS[word][0])
        case _:
            sys.stderr.write("usage: ingot-node WORD\n")
            sys.stderr.writelines(f"  {word:<18} {says}\n" for word, (_, says) in _WORDS.items())
            return ExitCode.USAGE


def _done(work: Callable[[], int]) -> int:
    try:
        return work()
    except IngotError as error:
        sys.stderr.write(f"error: {error}\n")
        if error.remedy:
            sys.stderr.write(f"remedy: {error.remedy}\n")
        return error.exit_code
