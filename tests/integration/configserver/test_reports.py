"""What nodes report can be read in the API."""

from __future__ import annotations

import json

from tests.integration.configserver.office import Office, token_of
from tests.integration.kubeapi import KubeApi


def kept(api: KubeApi, name: str) -> dict[str, object]:
    found = api.request("GET", f"/api/v1/namespaces/ingot-infra/configmaps/node-{name}-join")
    data = found["data"]
    assert isinstance(data, dict)
    status: dict[str, object] = json.loads(data["status"])
    return status


def told(office: Office, phase: str, message: str, *, failed: bool = False) -> int:
    body = json.dumps({"phase": phase, "message": message, "failed": failed})
    return office.ask("/report", token_of(office.worker), method="POST", body=body).status


def test_the_last_report_of_a_host_is_in_the_api(office: Office, api: KubeApi) -> None:
    assert told(office, "preflight", "Port 10250 is in use", failed=True) == 204
    status = kept(api, office.worker)
    assert (status["phase"], status["failed"]) == ("preflight", True)
    assert told(office, "joined", "all is well") == 204
    status = kept(api, office.worker)
    assert (status["phase"], status["message"], status["failed"]) == (
        "joined", "all is well", False,
    )  # fmt: skip


def test_what_is_no_report_is_told_so(office: Office) -> None:
    reply = office.ask("/report", token_of(office.worker), method="POST", body="{}")
    assert reply.status == 400
    assert b"phase" in reply.content


def test_a_host_that_reports_without_end_is_slowed_down(office: Office) -> None:
    codes = [told(office, "a", "b") for _ in range(40)]
    assert codes[0] == 204
    assert 429 in codes


def test_a_report_while_the_api_is_away_is_refused_for_now(office: Office, api: KubeApi) -> None:
    api.kill_api()
    assert told(office, "join", "try 1") == 503
    api.start_api()
    assert told(office, "join", "try 2") == 204
