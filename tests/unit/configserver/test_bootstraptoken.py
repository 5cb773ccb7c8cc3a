"""Bootstrap tokens."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from ingot.configserver.bootstraptoken import SECRETS, Token, stale
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def stored(token: Token, place: int) -> KubeObject[Content]:
    body = token.manifest()
    body["metadata"]["resourceVersion"] = str(place)
    return KubeObject(SECRETS, json.dumps(body).encode())


def test_a_token_holds_for_an_hour_and_only_to_join() -> None:
    token = Token.fresh("cp-1", now=NOW)
    said = token.manifest()["stringData"]
    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", token.spelled())
    assert said["expiration"] == "2026-01-01T13:00:00Z"
    groups = "system:bootstrappers:ingot:nodes,system:bootstrappers:ingot:host:cp-1"
    assert said["auth-extra-groups"] == groups
    assert "usage-bootstrap-signing" not in said
    assert "cp-1" in said["description"]


def test_a_token_does_not_show_its_secret() -> None:
    token = Token.fresh("cp-1", now=NOW)
    assert token.secret not in repr(token)


def test_of_tokens_made_at_once_the_one_stored_last_finds_all_others() -> None:
    made = [stored(Token.fresh("cp-1", now=NOW), place) for place in (7, 9, 8)]
    gone = {one.key for own in made for one in stale(own, made)}
    assert gone == {made[0].key, made[2].key}


def test_what_was_stored_later_is_not_stale() -> None:
    old, own, new = (stored(Token.fresh("a", now=NOW), place) for place in (1, 2, 10))
    assert stale(own, (new, own, old)) == [old]
