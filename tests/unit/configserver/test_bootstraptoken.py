"""Bootstrap tokens."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime, timedelta

from ingot.configserver.bootstraptoken import SECRETS, Token, stale
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def stored(token: Token) -> KubeObject[Content]:
    body = token.manifest()
    body["data"] = {
        key: base64.b64encode(value.encode()).decode() for key, value in body["stringData"].items()
    }
    return KubeObject(SECRETS, json.dumps(body).encode())


def test_a_token_holds_for_an_hour_and_only_to_join() -> None:
    token = Token.fresh("cp-1", now=NOW)
    said = token.manifest()["stringData"]
    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", token.spelled())
    assert said["expiration"] == "2026-01-01T13:00:00Z"
    assert said["auth-extra-groups"] == "system:bootstrappers:kubeadm:default-node-token"
    assert "usage-bootstrap-signing" not in said
    assert "cp-1" in said["description"]


def test_a_token_does_not_show_its_secret() -> None:
    token = Token.fresh("cp-1", now=NOW)
    assert token.secret not in repr(token)


def test_of_two_tokens_made_at_once_exactly_one_survives_whoever_looks() -> None:
    first, second = Token.fresh("cp-1", now=NOW), Token.fresh("cp-1", now=NOW)
    both = [stored(first), stored(second)]
    gone = {one.key for own in (first, second) for one in stale(own, both)}
    assert len(gone) == 1


def test_older_tokens_are_stale_and_newer_ones_are_not() -> None:
    old, own, new = (Token.fresh("a", now=NOW + timedelta(minutes=at)) for at in (0, 5, 9))
    found = stale(own, map(stored, (old, own, new)))
    assert [one.key for one in found] == [old.key]
