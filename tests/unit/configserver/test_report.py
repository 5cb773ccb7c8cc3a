"""What a node tells of its joining."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from ingot.configserver.report import MESSAGE_CHARACTERS, Report, ReportError, key_of


def test_a_report_is_kept_under_its_hosts_name() -> None:
    report = Report.parse(Report("etcd", "waits", failed=True).text().encode())
    body = report.manifest("cp-1", now=datetime(2026, 1, 1, tzinfo=UTC))
    assert str(key_of("cp-1")) == "ingot-infra/node-cp-1-join"
    assert body["metadata"] == {"name": "node-cp-1-join", "namespace": "ingot-infra"}
    assert json.loads(body["data"]["status"]) == {
        "name": "cp-1", "phase": "etcd", "message": "waits", "failed": True,
        "at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip


def test_what_would_spoil_a_log_or_a_terminal_is_taken_out() -> None:
    sent = json.dumps({"phase": "a\nb", "message": "\x1b[31mred\r\n" + "x" * 9999, "failed": False})
    report = Report.parse(sent.encode())
    assert report.phase == "a b"
    assert report.message.startswith("[31mred  x")
    assert len(report.message) == MESSAGE_CHARACTERS


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff", b'{"phase": "a", "message": "b"}',
     b'{"phase": 1, "message": "b", "failed": false}',
     b'{"phase": "a", "message": "b", "failed": "no"}'],
)  # fmt: skip
def test_what_is_no_report_is_refused(content: bytes) -> None:
    with pytest.raises(ReportError):
        Report.parse(content)
