"""What is read of servers on their way to be Nodes."""

from __future__ import annotations

from datetime import UTC, datetime

from ingot.configserver.report import Report
from ingot.configserver.visits import Visits
from ingot.node.bootstrap.arrivals import known_of

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOST = {
    "status": {
        "operationHistory": {
            "provision": {"start": "2026-01-01T11:50:00Z", "end": "2026-01-01T11:55:00Z"}
        }
    }
}


def maps(phase: str, *, failed: bool) -> dict[str, dict[str, object]]:
    visits = Visits(host="cp-0").after_grant("192.0.2.7", now=NOW)
    return {
        "node-cp-0-join": Report(phase, "said", failed).manifest("cp-0", now=NOW),
        "node-cp-0-config": visits.manifest(),
    }


def test_times_of_provisioning_and_visits_are_read() -> None:
    known = known_of("cp-0", HOST, maps("join", failed=True))
    assert known.began == datetime(2026, 1, 1, 11, 50, tzinfo=UTC)
    assert known.provisioned == datetime(2026, 1, 1, 11, 55, tzinfo=UTC)
    assert known.visits.granted_to == "192.0.2.7"
    assert known.reported_at == NOW
    assert known.clock_fails == ""


def test_a_clock_that_fails_is_known_by_its_report() -> None:
    assert known_of("cp-0", HOST, maps("clock", failed=True)).clock_fails == "said"
    assert known_of("cp-0", HOST, maps("clock", failed=False)).clock_fails == ""


def test_of_a_server_that_nobody_heard_of_nothing_is_known() -> None:
    known = known_of("cp-0", {}, {"node-cp-0-join": {"data": {"status": "]"}}})
    assert known.visits == Visits(host="cp-0")
    assert (known.began, known.provisioned, known.reported_at) == (None, None, None)
