"""The metrics of hosts, by the names that upstream's dashboards know."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram

from ingot.metal3.host.counting import DECLARED
from ingot.metal3.host.decision import Count

__all__ = ["HostMetrics"]


class HostMetrics:
    """Every metric of a host, registered."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        for one in DECLARED:
            if one.buckets is None:
                self._counters[one.name] = Counter(
                    one.name, one.meaning, one.labels, registry=registry
                )
            else:
                self._histograms[one.name] = Histogram(
                    one.name,
                    one.meaning,
                    one.labels,
                    registry=registry,
                    buckets=one.buckets or Histogram.DEFAULT_BUCKETS,
                )

    def count(self, counts: Iterable[Count]) -> None:
        """Count what a decision says."""
        for one in counts:
            if one.seconds is None:
                self.count_one(one.name, **one.labels)
            else:
                self._histograms[one.name].labels(**one.labels).observe(one.seconds)

    def count_one(self, name: str, **labels: str) -> None:
        """Count one more."""
        counter = self._counters[name]
        (counter.labels(**labels) if labels else counter).inc()
