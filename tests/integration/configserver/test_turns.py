"""Servers join the control plane one after the other, by what the config server tells them."""

from __future__ import annotations

import json

import pytest

from ingot.configserver.joinfile import Source
from ingot.node.joining.turn import SILENCES, await_turn
from tests.integration.configserver.office import Office, list_hosts, token_of
from tests.integration.kubeapi import free_port


@pytest.fixture
def pair(office: Office) -> tuple[str, str]:
    """Return two servers of the control plane."""
    other = f"{office.control_plane}-other"
    roles = {office.control_plane: "control-plane", other: "control-plane"}
    list_hosts(office.folder, {**roles, office.worker: "worker"})
    return office.control_plane, other


def source_of(office: Office, host: str, *, port: int = 0) -> Source:
    url = f"https://127.0.0.1:{port or office.port}/config/control-plane"
    return Source(url, token_of(host), office.authority.read_text())


def asked(office: Office, host: str) -> int:
    return office.ask("/turn", token_of(host), method="POST", body="").status


def told(office: Office, host: str, phase: str, *, failed: bool = False) -> None:
    body = json.dumps({"phase": phase, "message": "…", "failed": failed})
    assert office.ask("/report", token_of(host), method="POST", body=body).status == 204


def test_a_second_server_waits_until_the_first_has_joined(
    office: Office, pair: tuple[str, str]
) -> None:
    first, second = pair
    assert asked(office, first) == 204
    said: list[str] = []

    def wait(_seconds: float) -> None:
        assert said == [f"waiting for our turn: {first} is joining"]
        told(office, first, "joined")

    await_turn(source_of(office, second), said.append, wait)
    assert len(said) == 1
    assert asked(office, first) == 409


def test_a_server_that_failed_lets_the_next_one_try(office: Office, pair: tuple[str, str]) -> None:
    first, second = pair
    assert asked(office, first) == 204
    assert asked(office, second) == 409
    told(office, first, "preflight", failed=True)
    assert asked(office, second) == 204


def test_workers_do_not_wait_for_the_control_plane(office: Office) -> None:
    assert asked(office, office.control_plane) == 204
    assert asked(office, office.worker) == 204


def test_nobody_waits_for_ever_for_a_config_server_that_is_away(office: Office) -> None:
    waited: list[float] = []
    said: list[str] = []
    away = source_of(office, office.control_plane, port=free_port())
    await_turn(away, said.append, waited.append)
    assert len(waited) == SILENCES
    assert "going on" in said[-1]


def test_a_stranger_learns_nothing_of_turns(office: Office) -> None:
    assert asked(office, "nobody") == 403
