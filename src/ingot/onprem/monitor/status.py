"""How a node stands, as plain data for people and programs, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ingot.onprem.monitor.standing import Standing, State, holder_of

if TYPE_CHECKING:
    from ingot.onprem.monitor.program import Monitor
    from ingot.onprem.monitor.supervising import Supervised

__all__ = ["shown", "status_of"]


def status_of(monitor: Monitor) -> dict[str, Any]:
    """Return how a node stands."""
    peers = monitor.peers
    return {
        "node": monitor.options.name,
        "role": monitor.options.role.value,
        "addresses": [str(one.address) for one in monitor.situation.own]
        if monitor.situation
        else [],
        "vips": [_vip(monitor, one) for one in monitor.vips.standings.values()],
        "waiting": dict(monitor.admission.waiting),
        "listed": {str(vip): list(map(str, peers)) for vip, peers in monitor.listed.items()},
        "peers": {
            "nodes": {one.name: [str(at) for at in one.addresses] for one in peers.nodes},
            "reason": peers.reason,
        },
        "balancer": {
            "ready": monitor.balancer.ready,
            "redirected": monitor.redirected,
        },
        "daemons": {
            one.name: _daemon(one)
            for one in (monitor.vips.daemon, monitor.balancer.daemon, monitor.names.daemon)
        },
        "freezes": monitor.vips.freezes,
        "clashes": list(monitor.vips.ears.clashes),
        "problems": dict(monitor.problems.current),
    }


def _vip(monitor: Monitor, standing: Standing) -> dict[str, Any]:
    view = monitor.vips.view(standing)
    heard, duty = view.heard, view.duty
    return {
        "vip": str(standing.vip),
        "kind": standing.kind.value,
        "instance": standing.instance,
        "holder": holder_of(standing, monitor.options.name, view),
        "holderPriority": standing.priority
        if standing.state is State.MASTER
        else heard and heard.priority,
        "state": standing.state.value,
        "priority": duty.priority if duty else 0,
        "why": duty.reason if duty else "",
        "since": _time(standing.since),
        "cause": standing.cause,
        "transitions": standing.transitions,
    }


def _daemon(daemon: Supervised) -> dict[str, Any]:
    return {
        "pid": daemon.child.pid if daemon.child is not None else None,
        "runs": daemon.runs,
        "ends": daemon.ends,
    }


def _time(seconds: float) -> str:
    return (
        datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds") if seconds else ""
    )


def shown(status: Mapping[str, Any]) -> str:
    """Return the part of a status that is about VIPs, for people."""
    head = ("VIP", "FOR", "HOLDER", "THIS NODE", "PRIORITY", "SINCE")
    rows = [
        (
            one["vip"],
            one["kind"],
            one["holder"] or "nobody heard",
            one["state"],
            str(one["priority"]),
            one["since"] or "-",
        )
        for one in status["vips"]
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *rows)
    ]
    for one in status["vips"]:
        lines.append(f"{one['vip']}: last change: {one['cause']}")
        if one["why"]:
            lines.append(f"{one['vip']}: {status['node']} {one['why']}")
    lines += [f"{name}: {why}" for name, why in status["waiting"].items()]
    lines += [f"problem: {part}: {what}" for part, what in status["problems"].items()]
    return "\n".join(lines) + "\n"
