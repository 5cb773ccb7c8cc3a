"""A server that somebody racks later becomes a worker too.

It was added in `test_2_workers`, and is taken only now: Kubernetes' own tests are judged by their
times, and each machine more takes its part of the processors.
"""

from __future__ import annotations

from tests.e2e.life.names import WORKERS
from tests.e2e.workers import ADDED, NAMESPACE, Workers


def test_a_host_that_was_added_by_hand_becomes_a_node_too(workers: Workers) -> None:
    workers.await_free(ADDED)
    workers.scale(3)
    workers.await_ready(*WORKERS, ADDED)
    found = workers.look(*NAMESPACE, f"machineset/{workers.machine_set}")
    assert found is not None
    assert found["status"]["readyReplicas"] == 3
