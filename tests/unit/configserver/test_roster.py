"""Who may ask."""

from __future__ import annotations

import json

import pytest

from ingot.configserver.role import Role
from ingot.configserver.roster import Host, RosterError, digest, parse


def entry(name: str, role: str, token: str) -> dict[str, str]:
    return {"name": name, "role": role, "tokenSha256": digest(token)}


def text(*entries: object) -> str:
    return json.dumps({"hosts": entries})


def test_a_host_is_known_by_its_token_and_by_nothing_else() -> None:
    roster = parse(text(entry("cp-1", "control-plane", "a"), entry("w", "worker", "b")), source="x")
    assert roster.bearer("a") == Host("cp-1", Role.CONTROL_PLANE, digest("a"))
    assert roster.bearer("b") == Host("w", Role.WORKER, digest("b"))
    assert roster.bearer(digest("a")) is None
    assert roster.bearer("c") is None


def test_no_token_is_nobodys_even_if_a_host_has_the_digest_of_nothing() -> None:
    assert parse(text(entry("cp-1", "worker", "")), source="x").bearer("") is None


def test_master_is_another_word_for_the_control_plane() -> None:
    assert parse(text(entry("a", "master", "t")), source="x").hosts[0].role is Role.CONTROL_PLANE


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("", "is not JSON"),
        ("[]", "is not JSON"),
        ('{"hosts": 3}', "`hosts` is no list"),
        (text(3), "hosts[0].name ''"),
        (text(entry("Bad_Name", "worker", "t")), "hosts[0].name 'Bad_Name' is no name"),
        (text(entry("a", "boss", "t")), "hosts[0].role 'boss'"),
        (text({"name": "a", "role": "worker", "tokenSha256": "AB"}), "hosts[0].tokenSha256"),
        (
            text(entry("a", "worker", "t"), entry("a", "worker", "u")),
            "2 hosts have the same name a",
        ),
        (text(entry("a", "worker", "t"), entry("b", "worker", "t")), "2 hosts have the same token"),
    ],
)
def test_a_list_that_cannot_be_right_is_refused(said: str, wrong: str) -> None:
    with pytest.raises(RosterError) as refused:
        parse(said, source="hosts.json")
    assert f"hosts.json: {wrong}" in str(refused.value)


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(RosterError) as refused:
        parse(text(entry("", "worker", "t"), entry("b", "", "u")), source="x")
    assert len(refused.value.mistakes) == 2
