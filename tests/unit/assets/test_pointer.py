"""Pointer configs and the tokens in them."""

from __future__ import annotations

import json
from base64 import b64decode
from hashlib import sha256

import pytest

from ingot.assets.pointer import PointerError, hosts_json, pointers, token_in
from tests.unit.assets.clusters import cluster, counting

FILES = {"tls/config-server-ca.crt": b"the authority"}


def test_a_pointer_says_where_whom_to_trust_and_the_hosts_token() -> None:
    made = pointers(cluster(), FILES, counting())
    said = json.loads(made["hosts/cp-0.ign"])["ignition"]
    assert said["version"] == "3.3.0"
    (source,) = said["config"]["merge"]
    assert source["source"] == "https://192.0.2.5:22623/config/master"
    headers = {header["name"]: header["value"] for header in source["httpHeaders"]}
    assert headers == {
        "X-Ingot-Token": token_in(made["hosts/cp-0.ign"]),
        "X-Ingot-Host": "cp-0",
    }
    (authority,) = said["security"]["tls"]["certificateAuthorities"]
    assert b64decode(authority["source"].partition(",")[2]) == b"the authority"


def test_those_who_do_not_lead_are_workers() -> None:
    made = pointers(cluster(), FILES, counting())
    assert b"https://192.0.2.5:22623/config/worker" in made["hosts/worker-1.ign"]


def test_every_host_has_a_token_of_its_own_of_32_bytes() -> None:
    made = pointers(cluster(), FILES, counting())
    tokens = {token_in(content) for content in made.values()}
    assert len(tokens) == 5
    assert {len(b64decode(token + "=", altchars="-_", validate=True)) for token in tokens} == {32}


def test_the_config_server_knows_hosts_by_what_their_tokens_hash_to() -> None:
    config = cluster()
    made = dict(pointers(config, FILES, counting()))
    old = token_in(made["hosts/cp-1.ign"])
    made["hosts/cp-1.ign"] = made["hosts/cp-1.ign"].replace(old.encode(), b"changed-by-hand")
    known = {one["name"]: one for one in json.loads(hosts_json(config, made))["hosts"]}
    assert known["cp-1"]["tokenSha256"] == sha256(b"changed-by-hand").hexdigest()
    assert (known["cp-1"]["role"], known["worker-0"]["role"]) == ("control-plane", "worker")
    assert old not in json.dumps(known)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"ignition": {"version": "3.3.0"}}'])
def test_a_pointer_without_a_token_is_refused(content: bytes) -> None:
    with pytest.raises(PointerError):
        token_in(content)
