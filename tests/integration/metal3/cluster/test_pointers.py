"""Hosts that are added later, on a real API server: each can always ask for its config."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

import pytest

from ingot.assets.pointer import token_in
from ingot.configserver.role import Role
from ingot.configserver.roster import parse
from ingot.metal3.cluster import pointers
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.cluster.running import controller
from tests.integration.metal3.cluster.site import HOSTS, WITHIN, Json, Site

SECRETS = "/api/v1/namespaces/metal3/secrets"
SERVER = "/api/v1/namespaces/ingot-infra/secrets/ingot-config-server"
KEY = f"{SECRETS}/metal3-pointer-key"
POINTER = f"{SECRETS}/worker-9-user-data"


def file_in(site: Site, path: str, name: str) -> bytes:
    """Return a file of a Secret; empty where it is not there."""
    found = site.get(path) or {}
    return b64decode(found.get("data", {}).get(name, ""))


def names_in_roster(site: Site) -> set[str]:
    return {one["name"] for one in json.loads(file_in(site, SERVER, "hosts.json"))["hosts"]}


def asks_as(site: Site) -> tuple[str, Role] | None:
    """Return whom the config server takes for, who asks as the pointer of worker-9 says."""
    told = file_in(site, POINTER, "userData")
    if not told:
        return None
    known = parse(file_in(site, SERVER, "hosts.json").decode(), source="hosts.json")
    found = known.bearer(token_in(told))
    return (found.name, found.role) if found else None


def gets_its_config(site: Site) -> bool:
    return asks_as(site) == ("worker-9", Role.WORKER)


def delete(site: Site, path: str) -> None:
    code, answer = site.served.ask("DELETE", path)
    assert code == 200, answer


def test_a_host_that_is_added_later_is_in_the_roster(api: KubeApi, site: Site) -> None:
    with controller(api, site):
        eventually(lambda: "mine" in names_in_roster(site), within=WITHIN, every=0.1)
        site.add_host("worker-9", leads=False)
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)
        (source,) = json.loads(file_in(site, POINTER, "userData"))["ignition"]["config"]["merge"]
        assert source["source"].endswith(":22623/config/node")
        delete(site, f"{HOSTS}/worker-9")
        eventually(lambda: "worker-9" not in names_in_roster(site), within=WITHIN, every=0.1)


def test_a_pointer_that_was_deleted_is_made_again(
    api: KubeApi, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointers, "LOOK_SECONDS", 0.5)
    site.add_host("worker-9", leads=False)
    with controller(api, site):
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)
        before = file_in(site, SERVER, "hosts.json")
        delete(site, POINTER)
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)
        assert file_in(site, SERVER, "hosts.json") == before


def test_a_host_whose_key_was_made_again_can_ask_with_the_other_token(
    api: KubeApi, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointers, "LOOK_SECONDS", 0.5)
    site.add_host("worker-9", leads=False)
    with controller(api, site):
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)
        before = file_in(site, POINTER, "userData")
        delete(site, KEY)
        eventually(lambda: file_in(site, POINTER, "userData") != before, within=WITHIN, every=0.1)
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)


def test_a_host_that_comes_back_after_the_key_was_lost_can_ask(api: KubeApi, site: Site) -> None:
    site.add_host("worker-9", leads=False)
    with controller(api, site):
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)
        delete(site, f"{HOSTS}/worker-9")
        eventually(lambda: "worker-9" not in names_in_roster(site), within=WITHIN, every=0.1)
        delete(site, KEY)
        site.add_host("worker-9", leads=False)
        eventually(lambda: gets_its_config(site), within=WITHIN, every=0.1)


def test_a_pointer_that_somebody_made_is_left_as_it_is(
    api: KubeApi, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointers, "LOOK_SECONDS", 0.5)
    own: Json = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "worker-9-user-data", "labels": {"owner": "me"}},
        "data": {"userData": b64encode(b"my own").decode()},
    }
    site.create(SECRETS, own)
    site.add_host("worker-9", leads=False)
    with controller(api, site):
        eventually(lambda: "worker-9" in names_in_roster(site), within=WITHIN, every=0.1)
        # All are looked at in one go, so this one was too when another has become right again.
        mine = f"{SECRETS}/mine-user-data"
        eventually(lambda: site.get(mine), within=WITHIN, every=0.1)
        delete(site, mine)
        delete(site, KEY)
        eventually(lambda: site.get(mine), within=WITHIN, every=0.1)
    found = site.get(POINTER) or {}
    assert (found["data"], found["metadata"]["labels"]) == (own["data"], {"owner": "me"})
