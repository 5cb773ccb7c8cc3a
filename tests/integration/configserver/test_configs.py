"""Configs are handed out to the hosts they are for, each with a credential that works."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingot.configserver.ignition import file_in
from ingot.configserver.role import Role
from ingot.kube.joiners import JOINERS, group_of
from tests.integration.configserver.office import ROLE_FILE, Office, list_hosts, token_of
from tests.integration.kubeapi import KubeApi, binaries

SPEC = "application/vnd.coreos.ignition+json;version=3.3.0"


def tokens(api: KubeApi) -> dict[str, dict[str, Any]]:
    """Return the bootstrap tokens that kubeadm itself finds, by their text."""
    told = subprocess.run(
        [binaries()["kubeadm"], "token", "list", "-o", "json", "--kubeconfig", api.kubeconfig()],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    decoder, found, text = json.JSONDecoder(), {}, told.stdout.strip()
    while text:
        one, end = decoder.raw_decode(text)
        found[one["token"]] = one
        text = text[end:].strip()
    return found


@pytest.mark.parametrize("word", ["master", "control-plane", "node"])
def test_a_host_gets_its_roles_config_and_its_own_files(office: Office, word: str) -> None:
    name = office.control_plane
    reply = office.ask(f"/config/{word}", token_of(name))
    assert reply.status == 200, office.logged()
    assert reply.headers["Content-Type"] == SPEC
    assert file_in(reply.config, ROLE_FILE) == "control-plane"
    assert file_in(reply.config, "/etc/hostname") == f"{name}\n"
    facts = reply.facts
    assert (facts.name, facts.role) == (name, Role.CONTROL_PLANE)
    assert facts.api_server == "https://192.0.2.5:6443"
    assert facts.ca_certificate.startswith("-----BEGIN CERTIFICATE-----")
    assert facts.source
    assert facts.source.url == "https://192.0.2.5:22623/config/control-plane"
    assert facts.source.token == token_of(name)
    assert facts.source.authority == office.authority.read_text()


def test_the_token_is_one_that_kubeadm_takes_for_an_hour(office: Office, api: KubeApi) -> None:
    facts = office.ask("/config/worker", token_of(office.worker)).facts
    found = tokens(api)[facts.token]
    assert sorted(found["groups"]) == sorted([JOINERS, group_of(office.worker)])
    assert found["usages"] == ["authentication"]
    assert office.worker in found["description"]
    left = datetime.fromisoformat(found["expires"]) - datetime.now(UTC)
    assert timedelta(minutes=50) < left <= timedelta(hours=1)
    assert facts.expires == datetime.fromisoformat(found["expires"])


def test_a_fresh_token_replaces_the_hosts_older_ones_and_no_others(
    office: Office, api: KubeApi
) -> None:
    other = office.ask("/config/control-plane", token_of(office.control_plane)).facts.token
    with ThreadPoolExecutor(4) as asking:
        replies = list(
            asking.map(lambda _: office.ask("/config/worker", token_of(office.worker)), range(4))
        )
    made = {reply.facts.token for reply in replies}
    assert len(made) == 4
    left = set(tokens(api))
    assert len(made & left) == 1
    assert other in left


def test_head_says_that_there_is_one_and_makes_no_token(office: Office, api: KubeApi) -> None:
    before = set(tokens(api))
    reply = office.ask("/config/worker", token_of(office.worker), method="HEAD")
    assert (reply.status, reply.headers["Content-Type"], reply.content) == (200, SPEC, b"")
    assert set(tokens(api)) == before


def test_hosts_come_and_go_while_it_runs(office: Office) -> None:
    list_hosts(office.folder, {"newcomer": "worker"})
    assert office.ask("/config/worker", token_of("newcomer")).status == 200
    assert office.ask("/config/worker", token_of(office.worker)).status == 403


def test_a_broken_list_of_hosts_leaves_the_one_before_in_use(office: Office) -> None:
    (office.folder / "hosts.json").write_text("{", encoding="utf-8")
    assert office.ask("/config/worker", token_of(office.worker)).status == 200
    assert "what it said before stays in use" in office.logged()


def test_without_an_api_nothing_is_handed_out_and_a_try_later_succeeds(
    office: Office, api: KubeApi
) -> None:
    api.kill_api()
    reply = office.ask("/config/worker", token_of(office.worker))
    assert reply.status == 503
    assert int(reply.headers["Retry-After"]) > 0
    assert office.ask("/healthz").status == 200
    api.start_api()
    assert office.ask("/config/worker", token_of(office.worker)).status == 200
