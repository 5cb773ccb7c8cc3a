"""What goes wrong on a host's network cards: DHCP that stays unheard, lost packets, little room.

Packets are dropped by nftables on the bridge, before it looks at them and after it has sent them,
so both directions are covered whether a packet is for the lab itself or for another host. netem was
rejected: many kernels are built without it, and which packets it drops cannot be repeated.

A slow card is one with a queue: a token bucket towards the host, and another one, on a link of
its own, for what comes from it, because a queue can only be put on what is sent. Dropping what is
too much was rejected: it shows as loss, which is another fault.

A card has two links on its bridge: the machine's, and the one its firmware boots by.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ingot.errors import ExitCode, IngotError
from ingot.process import CommandFailed, require, run

__all__ = ["NO_WIRE_FAULTS", "Wire", "WireFaultFailed", "WireFaults", "drop_rules", "links_of"]

SLOTS = 1000
"""Of as many packets, the same ones are lost each time round."""

DHCP_SERVER_PORTS = "{ 67, 547 }"

LEAST_BURST_BYTES = 10_000
"""A packet that is larger than the bucket would never get through."""
BURST_SECONDS = 0.02
LEAST_QUEUE_BYTES = 20_000
QUEUE_SECONDS = 0.2


class WireFaultFailed(IngotError):  # noqa: N818 - it says what happened
    """This machine's kernel does not do what a fault of a network card needs."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFaults:
    """What goes wrong with all cards of a host; nothing, unless it is said.

    Attributes:
        dhcp_lost: whether its requests for an address are lost.
        lost_percent: how many packets are lost, in each direction.
        seed: decides which.
        megabits: how much is carried in a second, in each direction; None for everything.
    """

    dhcp_lost: bool = False
    lost_percent: float = 0
    seed: int = 0
    megabits: float | None = None


NO_WIRE_FAULTS = WireFaults()


@dataclass(frozen=True, slots=True)
class Wire:
    """The bridges in the network namespace of whoever calls."""

    _known: dict[str, WireFaults] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def apply(self, host: str, ports: Sequence[str], faults: WireFaults) -> None:
        """Make faults take effect on a host's cards, and those no more that are not among them.

        Links that are new since the last time are found.

        Raises:
            WireFaultFailed: this machine's kernel lacks something.
            MissingProgram: something is not installed.
        """
        with self._lock:
            before = self._known.pop(host, None)
            if faults == NO_WIRE_FAULTS == before:
                self._known[host] = faults
                return
            require({"ip": "iproute2", "nft": "nftables", "tc": "iproute2"})
            if before is None or drop_rules(host, ports, before) != drop_rules(host, ports, faults):
                _drop(host, ports, faults)  # Otherwise its packets are counted on.
            links = frozenset(name for _, name in socket.if_nameindex())
            for port in ports:
                if faults.megabits is None:
                    _widen(port, links)
                else:
                    _narrow(port, links, faults.megabits)
            self._known[host] = faults


def links_of(port: str) -> tuple[str, str]:
    """Return the links of a card: the machine's own, and its firmware's."""
    return port, f"{port}f"


def drop_rules(host: str, ports: Sequence[str], faults: WireFaults) -> str:
    """Return what nftables is told for a host, replacing what it was told before; or nothing."""
    names = ", ".join(f'"{link}"' for port in ports for link in links_of(port))
    sent, received = f"iifname {{ {names} }}", f"oifname {{ {names} }}"
    from_host = [f"{sent} udp dport {DHCP_SERVER_PORTS} drop"] if faults.dhcp_lost else []
    to_host = []
    if faults.lost_percent:
        from_host.append(f"{sent} {_chance(host, 'from', faults)}drop")
        to_host.append(f"{received} {_chance(host, 'to', faults)}drop")
    if not from_host:
        return ""
    table = _table(host)
    return "\n".join(
        (
            f"add table bridge {table}",
            f"delete table bridge {table}",
            f"table bridge {table} {{",
            "  chain from-host {",
            "    type filter hook prerouting priority 0; policy accept;",
            *(f"    {rule}" for rule in from_host),
            "  }",
            "  chain to-host {",
            "    type filter hook postrouting priority 0; policy accept;",
            *(f"    {rule}" for rule in to_host),
            "  }",
            "}",
            "",
        )
    )


def _chance(host: str, direction: str, faults: WireFaults) -> str:
    """Return the match on every packet whose turn it is to be lost."""
    count = max(1, round(faults.lost_percent * SLOTS / 100))
    if count >= SLOTS:
        return ""

    def order(slot: int) -> bytes:
        return sha256(f"{faults.seed}/{host}/{direction}/{slot}".encode()).digest()

    lost = sorted(sorted(range(SLOTS), key=order)[:count])
    return f"numgen inc mod {SLOTS} {{ {', '.join(map(str, lost))} }} "


def _queue(megabits: float) -> str:
    byte_rate = megabits * 1_000_000 / 8
    burst = max(LEAST_BURST_BYTES, round(byte_rate * BURST_SECONDS))
    waiting = max(LEAST_QUEUE_BYTES, round(byte_rate * QUEUE_SECONDS))
    return f"tbf rate {round(megabits * 1_000_000)}bit burst {burst} limit {waiting}"


def _table(host: str) -> str:
    return f"fault-{host}"


def _return_link(port: str) -> str:
    return f"{port}-in"


def _drop(host: str, ports: Sequence[str], faults: WireFaults) -> None:
    rules = drop_rules(host, ports, faults)
    if not rules and not _has_table(host):
        return
    _run(
        ("nft", "-f", "-"),
        stdin=rules or f"delete table bridge {_table(host)}\n",
        needs="nftables on bridges: nf_tables, nft_numgen",
    )


def _has_table(host: str) -> bool:
    listed = json.loads(_run(("nft", "-j", "list", "tables"), needs="nf_tables"))
    names = {entry["table"]["name"] for entry in listed["nftables"] if "table" in entry}
    return _table(host) in names


def _narrow(port: str, links: frozenset[str], megabits: float) -> None:
    present = [link for link in links_of(port) if link in links]
    if not present:
        return
    queue, back = _queue(megabits), _return_link(port)
    needs = "queues: sch_tbf, sch_ingress, cls_u32, act_mirred, ifb"
    if back not in links:
        _run(("ip", "link", "add", "name", back, "type", "ifb"), needs=needs)
    _run(("ip", "link", "set", "dev", back, "up"), needs=needs)
    everything = f"u32 match u32 0 0 action mirred egress redirect dev {back}"
    lines = [f"qdisc replace dev {back} root {queue}"]
    for link in present:
        lines += [
            f"qdisc replace dev {link} root {queue}",
            f"qdisc replace dev {link} handle ffff: ingress",
            f"filter delete dev {link} parent ffff:",
            f"filter add dev {link} parent ffff: protocol all prio 1 {everything}",
        ]
    _batch(lines, needs)


def _widen(port: str, links: frozenset[str]) -> None:
    if _return_link(port) not in links:
        return  # It is made first and removed last.
    present = [link for link in links_of(port) if link in links]
    _batch(list(_queues_off(present)), "queues")
    _run(("ip", "link", "delete", "dev", _return_link(port)), needs="ifb")


def _queues_off(links: Sequence[str]) -> Iterator[str]:
    for link in links:
        shown = json.loads(_run(("tc", "-json", "qdisc", "show", "dev", link), needs="tc"))
        kinds = {queue["kind"] for queue in shown}
        if "tbf" in kinds:
            yield f"qdisc delete dev {link} root"
        if "ingress" in kinds:
            yield f"qdisc delete dev {link} ingress"


def _batch(lines: Sequence[str], needs: str) -> None:
    if lines:
        _run(("tc", "-batch", "-"), stdin="\n".join(lines) + "\n", needs=needs)


def _run(command: Sequence[str], *, needs: str, stdin: str = "") -> str:
    try:
        return run(command, stdin=stdin)
    except CommandFailed as error:
        raise WireFaultFailed(
            f"{error.what}\nthis machine's kernel was asked for {needs}",
            remedy="load these modules, or use a kernel that has them, and set the fault again",
        ) from error
