"""The links of a machine: for each card a tap for its kernel and a veth pair for its firmware.

Both are ports of the same bridge, in the network namespace of whoever calls. The firmware's end of
the pair, `net0`, `net1`, …, lies in a network namespace of the machine's own, so that addresses,
routes and resolvers of a booting machine touch nobody else's. It is down until firmware wants it;
two of the same address are never up at once.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingot.machine.model import MachineSpec, Nic
from ingot.process import CommandFailed, run

__all__ = ["connect", "disconnect", "firmware_port", "is_connected"]

_NAMESPACES = Path("/run/netns")
_IPV6 = Path("/proc/sys/net/ipv6")


def firmware_port(nic: Nic) -> str:
    """Return the bridge port behind which the firmware is; the kernel's is the card's own."""
    return f"{nic.port}f"


def is_connected(spec: MachineSpec, namespace: str) -> bool:
    """Tell whether the links are there; a PC that was started over has lost them."""
    return _is_namespace(namespace) and _existing().issuperset(_ports(spec))


def connect(spec: MachineSpec, namespace: str) -> None:
    """Make what is missing, and plug everything in."""
    if not _is_namespace(namespace):
        _make_namespace(spec, namespace)
    _ip(_missing_links(spec, namespace, _existing()))
    for port in _ports(spec):
        # A port is a socket in the wall: it has no address, and says nothing by itself.
        if _IPV6.is_dir():
            (_IPV6 / "conf" / port / "disable_ipv6").write_text("1", encoding="ascii")
    _ip(
        (
            f"link set dev {port} master {nic.bridge} up"
            for nic in spec.nics
            for port in (nic.port, firmware_port(nic))
        ),
        remedy=f"see that there is a bridge {', '.join(sorted({nic.bridge for nic in spec.nics}))}",
    )


def disconnect(spec: MachineSpec | None, namespace: str) -> None:
    """Remove what is there; without a spec that is the namespace, whose links go with it."""
    _delete(_ports(spec) if spec else [])
    _delete_namespace(namespace)


def _make_namespace(spec: MachineSpec, namespace: str) -> None:
    # Those of the firmware's ports that are there lead to a namespace that is gone; and of that the
    # name may be left, where it was made in a mount namespace that is gone as well.
    _delete([firmware_port(nic) for nic in spec.nics])
    _delete_namespace(namespace)
    _ip([f"netns add {namespace}"])
    if _IPV6.is_dir():
        setting = _IPV6 / "conf/all/disable_ipv6"
        run(["ip", "netns", "exec", namespace, "tee", setting], stdin="1")


def _delete(ports: Iterable[str]) -> None:
    wanted = set(ports)
    try:
        _ip((f"link delete {port}" for port in wanted & _existing()), "-force")
    except CommandFailed:
        # Where a namespace was removed just before, the kernel takes its links away meanwhile.
        if wanted & _existing():
            raise


def _delete_namespace(namespace: str) -> None:
    if (_NAMESPACES / namespace).exists():
        _ip([f"netns delete {namespace}"])


def _missing_links(spec: MachineSpec, namespace: str, there: set[str]) -> Iterator[str]:
    for number, nic in enumerate(spec.nics):
        if nic.port not in there:
            yield f"tuntap add name {nic.port} mode tap"
        if firmware_port(nic) not in there:
            yield (
                f"link add name {firmware_port(nic)} type veth"
                f" peer name net{number} address {nic.mac} netns {namespace}"
            )


def _ip(lines: Iterable[str], *options: str, remedy: str = "see the output above") -> None:
    """Do it all in one go: a program for each link would take most of the time."""
    batch = "".join(f"{line}\n" for line in lines)
    if batch:
        run(["ip", *options, "-batch", "-"], stdin=batch, remedy=remedy)


def _ports(spec: MachineSpec) -> list[str]:
    return [port for nic in spec.nics for port in (nic.port, firmware_port(nic))]


def _existing() -> set[str]:
    return {name for _, name in socket.if_nameindex()}


def _is_namespace(name: str) -> bool:
    return os.path.ismount(_NAMESPACES / name)
