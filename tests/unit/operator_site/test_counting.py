"""Requests are counted by Ironic's log, whose lines these are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.operator_site.bmcs import PowerAction
from tests.operator_site.counting import Request, RequestLog, by_kind, requests_in

HEAD = "2026-01-01 06:02:28.959 32428 INFO ironic.api [None req-46cd7bf2 - - - - - -] 127.0.0.1 - "
NODE = "75b7f9cb-dac7-573e-8d56-770f06a78e5a"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (f"PUT /v1/nodes/{NODE}/states/provision - 202 (25.5ms)", "PUT /nodes/ID/states/provision"),
        ("GET /v1/nodes?fields=uuid%2Cname - 200 (25.5ms)", "GET /nodes"),
        ("GET /v1/nodes/default~host-1?fields=uuid - 200 (25.5ms)", "GET /nodes/ID"),
        (f"GET /v1/nodes/{NODE}/bios?detail=true - 200 (25.5ms)", "GET /nodes/ID/bios"),
        ("GET /v1 - 200 (25.5ms)", "GET /"),
    ],
)
def test_a_request_is_known_by_method_and_path(said: str, kind: str) -> None:
    (found,) = requests_in(f"{HEAD}{said}\n")
    assert found.kind == kind
    assert found.seconds == pytest.approx(0.0255)


def test_other_lines_are_no_requests() -> None:
    moved = '2026-01-01 06:02:28 1 INFO ironic.conductor.task_manager [-] Node moved to "active"'
    assert list(requests_in(moved)) == []


def test_a_log_is_read_on_from_where_it_was_left(tmp_path: Path) -> None:
    file = tmp_path / "ironic.log"
    line = f"{HEAD}GET /v1/nodes - 200 (1.0ms)\n"
    file.write_text(line * 2 + line[:40], encoding="utf-8")
    log = RequestLog(file)
    assert log.new() == [Request("GET /nodes", 200, 0.001)] * 2
    with file.open("a", encoding="utf-8") as more:
        more.write(line[40:])
    assert by_kind(log.new()) == {"GET /nodes": 1}
    assert log.new() == []


@pytest.mark.parametrize(
    ("action", "before", "nothing"),
    [
        ("On", "Off", False),
        ("On", "On", True),
        ("ForceOff", "Off", True),
        ("ForceOff", "On", False),
        ("ForceRestart", "On", False),
    ],
)
def test_an_action_that_changes_nothing_was_one_too_many(
    action: str, before: str, *, nothing: bool
) -> None:
    assert PowerAction(0.0, "one", action, before).changes_nothing is nothing
