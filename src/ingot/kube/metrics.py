"""What is counted, by the names that dashboards for controller-runtime know.

Every program has a registry of its own, so that two of them can be tested in one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ["ControllerMetrics", "Metrics", "QueueMetrics"]

RECONCILE_BUCKETS = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50,
    60,
)  # fmt: skip
QUEUE_BUCKETS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000)


@dataclass(frozen=True, slots=True)
class ControllerMetrics:
    """What is counted for one controller."""

    name: str
    results: Counter
    errors: Counter
    terminal_errors: Counter
    panics: Counter
    seconds: Histogram
    active: Gauge

    def count(self, result: str) -> None:
        """Count a reconcile by how it ended: success, error, requeue or requeue_after."""
        self.results.labels(self.name, result).inc()


@dataclass(slots=True)
class QueueMetrics:
    """What is counted for one queue; how full it is, is asked for when somebody looks."""

    name: str
    adds: Counter
    retries: Counter
    queue_duration: Histogram
    work_duration: Histogram
    depth: Callable[[], int] = field(default=lambda: 0)
    working: Callable[[], Sequence[float]] = field(default=lambda: ())

    def watch(self, *, depth: Callable[[], int], working: Callable[[], Sequence[float]]) -> None:
        """Say where to look: how many are ready, and how long each has been worked on."""
        self.depth, self.working = depth, working


class Metrics:
    """The registry of one program."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call] # A second line for each counter, which nobody asks for.
        self.registry = CollectorRegistry()
        self._queues: dict[str, QueueMetrics] = {}
        self.registry.register(_QueueGauges(self._queues))
        runtime = "controller_runtime"
        self._results = Counter(
            f"{runtime}_reconcile", "Reconciles by their result",
            ["controller", "result"], registry=self.registry,
        )  # fmt: skip
        self._errors = self._counter(f"{runtime}_reconcile_errors", "Reconciles that failed")
        self._terminal = self._counter(
            f"{runtime}_terminal_reconcile_errors", "Failures that trying again cannot mend"
        )
        self._panics = self._counter(
            f"{runtime}_reconcile_panics", "Reconciles that ended by a mistake of ours"
        )
        self._seconds = Histogram(
            f"{runtime}_reconcile_time_seconds", "How long a reconcile takes",
            ["controller"], buckets=RECONCILE_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self._workers = self._gauge(
            f"{runtime}_max_concurrent_reconciles", "Workers of the controller"
        )
        self._active = self._gauge(f"{runtime}_active_workers", "Workers that are busy")
        queue = ["name", "controller"]
        self._queue_adds = Counter(
            "workqueue_adds", "Items that were put in", queue, registry=self.registry
        )
        self._queue_retries = Counter(
            "workqueue_retries", "Items that came back", queue, registry=self.registry
        )
        self._queue_wait = Histogram(
            "workqueue_queue_duration_seconds", "How long an item waits",
            queue, buckets=QUEUE_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self._queue_work = Histogram(
            "workqueue_work_duration_seconds", "How long an item is worked on",
            queue, buckets=QUEUE_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self._leading = Gauge(
            "leader_election_master_status", "1 for the leader, 0 for others",
            ["name"], registry=self.registry,
        )  # fmt: skip
        self._requests = Counter(
            "rest_client_requests", "Requests to the API server by answer",
            ["code", "method"], registry=self.registry,
        )  # fmt: skip
        self.events_dropped = Counter(
            "ingot_events_dropped", "Events that were not written", ["why"], registry=self.registry
        )

    def controller(self, name: str, *, workers: int) -> ControllerMetrics:
        """Return what is counted for a controller."""
        self._workers.labels(name).set(workers)
        return ControllerMetrics(
            name,
            self._results,
            self._errors.labels(name),
            self._terminal.labels(name),
            self._panics.labels(name),
            self._seconds.labels(name),
            self._active.labels(name),
        )

    def queue(self, name: str) -> QueueMetrics:
        """Return what is counted for a queue."""
        labels = (name, name)
        self._queues[name] = made = QueueMetrics(
            name,
            self._queue_adds.labels(*labels),
            self._queue_retries.labels(*labels),
            self._queue_wait.labels(*labels),
            self._queue_work.labels(*labels),
        )
        return made

    def leading(self, name: str, *, leads: bool) -> None:
        """Note whether we lead."""
        self._leading.labels(name).set(leads)

    def answered(self, method: str, code: int) -> None:
        """Count an answer of the API server; for `KubeClient.on_answer`."""
        self._requests.labels(str(code or "<error>"), method).inc()

    def text(self) -> bytes:
        """Return everything in the text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(name, meaning, ["controller"], registry=self.registry)

    def _gauge(self, name: str, meaning: str) -> Gauge:
        return Gauge(name, meaning, ["controller"], registry=self.registry)


class _QueueGauges(Collector):
    """Looks into the queues only when somebody asks."""

    def __init__(self, queues: dict[str, QueueMetrics]) -> None:
        self._queues = queues

    def collect(self) -> Iterable[Metric]:
        labels = ["name", "controller"]
        depth = GaugeMetricFamily("workqueue_depth", "Items that are ready", labels=labels)
        unfinished = GaugeMetricFamily(
            "workqueue_unfinished_work_seconds", "Time spent on what is not done", labels=labels
        )
        longest = GaugeMetricFamily(
            "workqueue_longest_running_processor_seconds", "The longest of these", labels=labels
        )
        for name, queue in self._queues.items():
            running = queue.working()
            depth.add_metric([name, name], queue.depth())
            unfinished.add_metric([name, name], sum(running))
            longest.add_metric([name, name], max(running, default=0.0))
        return (depth, unfinished, longest)
