"""The monitor's metrics: read from its status when somebody asks, so that nothing is kept twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from ingot.kube.metrics import Metrics
from ingot.kube.serving import Endpoints, Health
from ingot.onprem.model import Address
from ingot.onprem.monitor.standing import State

__all__ = ["lists", "served"]

LISTED = "ingot_vip_listed"

Status = Callable[[], Mapping[str, Any]]


def served(status: Status, port: int) -> AbstractAsyncContextManager[int]:
    """Serve /metrics, /healthz and /readyz until the end of the block; yields the port."""
    metrics = Metrics()
    metrics.registry.register(_Vips(status))
    return Endpoints(metrics, Health()).served(port=port)


class _Vips(Collector):
    """Looks at the monitor's status when somebody asks."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def collect(self) -> Iterable[Metric]:
        status = self._status()
        yield from _of_vips(status["vips"])
        yield _of_lists(status["listed"])
        yield from _of_daemons(status["daemons"])
        yield _gauge(
            "ingot_balancer_ready_servers", "API servers found ready", status["balancer"]["ready"]
        )
        yield _gauge(
            "ingot_balancer_redirected",
            "1 where the VIP leads to the balancer",
            status["balancer"]["redirected"],
        )
        frozen = CounterMetricFamily(
            "ingot_keepalived_freezes", "How often keepalived was found frozen"
        )
        frozen.add_metric([], status["freezes"])
        yield frozen
        yield _gauge("ingot_peers", "Nodes that are believed in", len(status["peers"]["nodes"]))
        problems = GaugeMetricFamily("ingot_problem", "1 for each part in trouble", labels=["part"])
        for part in status["problems"]:
            problems.add_metric([part], 1)
        yield problems


def _of_vips(vips: list[Mapping[str, Any]]) -> Iterable[Metric]:
    labels = ["vip", "kind"]
    holds = GaugeMetricFamily("ingot_vip_held", "1 where this node holds it", labels=labels)
    state = GaugeMetricFamily(
        "ingot_vip_state", "1 for what this node is", labels=[*labels, "state"]
    )
    holder = GaugeMetricFamily(
        "ingot_vip_holder", "1 for who holds it, by what is heard here", labels=[*labels, "node"]
    )
    priority = GaugeMetricFamily("ingot_vip_priority", "This node's own; 0: may not", labels=labels)
    moves = CounterMetricFamily(
        "ingot_vip_transitions", "How often it came to this node or left it", labels=labels
    )
    for one in vips:
        who = [one["vip"], one["kind"]]
        holds.add_metric(who, one["state"] == State.MASTER.value)
        for each in State:
            state.add_metric([*who, each.value], one["state"] == each.value)
        if one["holder"]:
            holder.add_metric([*who, one["holder"]], 1)
        priority.add_metric(who, one["priority"])
        moves.add_metric(who, one["transitions"])
    return holds, state, holder, priority, moves


def _of_lists(listed: Mapping[str, Iterable[str]]) -> Metric:
    found = GaugeMetricFamily(
        LISTED, "1 for each address that adverts go to from here", labels=["vip", "address"]
    )
    for vip, addresses in listed.items():
        for address in addresses:
            found.add_metric([vip, address], 1)
    return found


def lists(page: str, vip: Address, address: Address) -> bool:
    """Tell whether the node that served a page of metrics sends adverts of a VIP to an address."""
    wanted = {"vip": str(vip), "address": str(address)}
    try:
        found = [one for family in text_string_to_metric_families(page) for one in family.samples]
    except ValueError:  # It is not whole, or not a page of metrics.
        return False
    return any((one.name, one.labels) == (LISTED, wanted) for one in found)


def _of_daemons(daemons: Mapping[str, Mapping[str, Any]]) -> Iterable[Metric]:
    runs = GaugeMetricFamily("ingot_daemon_up", "1 where it runs", labels=["daemon"])
    ends = CounterMetricFamily(
        "ingot_daemon_ends", "How often it ended by itself", labels=["daemon"]
    )
    for name, one in daemons.items():
        runs.add_metric([name], one["runs"])
        ends.add_metric([name], one["ends"])
    return runs, ends


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)
