"""Hosts that are added later: their pointer configs, and their place in the roster."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingot.assets.pointer import path_of, pointers, token_in
from ingot.configserver.role import Role
from ingot.configserver.roster import parse
from ingot.kube.kind import ObjectKey
from ingot.metal3.cluster.deploying import secret
from ingot.metal3.cluster.pointing import Role as Kind
from ingot.metal3.cluster.pointing import added_in, correction, pointer, roster, token_of
from tests.unit.assets.clusters import cluster, counting, install_files

KEY = bytes(range(32))
INSTALLED = {"name": "worker-0", "role": "worker", "tokenSha256": "0" * 64}
ADDED = {"worker-0": Kind.WORKER, "worker-9": Kind.WORKER}
TEXT = json.dumps({"hosts": [INSTALLED]})
PLACE = ObjectKey("metal3", "worker-9-user-data")
MARK = {"environment.metal3.io": "baremetal"}


def made(content: bytes, **labels: str) -> dict[str, Any]:
    """Return a Secret of ours, as it would be made."""
    body = secret(PLACE, {"userData": content})
    body["metadata"]["labels"] |= {**MARK, **labels}
    return body


def stored(body: dict[str, Any], *, labels: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a Secret as the server has it, with labels of its own if told."""
    kept = body["metadata"]["labels"] if labels is None else labels
    return {**body, "metadata": {**body["metadata"], "labels": kept, "resourceVersion": "7"}}


def test_a_pointer_is_as_those_of_the_install() -> None:
    config = cluster()
    files = install_files(config)
    name = next(
        one.name for one in config.baremetal.hosts if b"/config/worker" in files[path_of(one.name)]
    )
    theirs = pointers(config, files, counting())[path_of(name)]
    ours = pointer(
        f"https://{config.baremetal.api_vips[0]}:22623",
        host=name,
        authority=files["tls/config-server-ca.crt"].decode(),
        token=token_in(theirs),
    )
    assert json.loads(ours) == json.loads(theirs.replace(b"/config/worker", b"/config/node"))


def test_a_host_that_is_added_may_ask_with_its_token() -> None:
    text = roster(TEXT, ADDED, key=KEY)
    assert text is not None
    found = parse(text, source="hosts.json").bearer(token_of("worker-9", key=KEY))
    assert found is not None
    assert (found.name, found.role) == ("worker-9", Role.WORKER)


def test_a_host_that_is_labelled_later_becomes_part_of_the_control_plane() -> None:
    added = roster(TEXT, ADDED, key=KEY)
    assert added is not None
    text = roster(added, {**ADDED, "worker-9": Kind.CONTROL_PLANE}, key=KEY)
    assert text is not None
    found = parse(text, source="hosts.json").bearer(token_of("worker-9", key=KEY))
    assert found is not None
    assert found.role is Role.CONTROL_PLANE


def test_a_host_of_the_install_stays_what_it_was_made_for() -> None:
    assert roster(TEXT, {"worker-0": Kind.CONTROL_PLANE}, key=KEY) is None


def test_a_host_of_the_install_keeps_its_token() -> None:
    text = roster(TEXT, ADDED, key=KEY)
    assert text is not None
    assert json.loads(text)["hosts"][0] == INSTALLED


def test_a_host_that_was_added_and_is_gone_may_not_ask_any_more() -> None:
    added = roster(TEXT, ADDED, key=KEY)
    assert added is not None
    text = roster(added, {"worker-0": Kind.WORKER}, key=KEY)
    assert text is not None
    assert json.loads(text) == json.loads(TEXT)


def test_a_host_of_the_install_stays_in_the_roster() -> None:
    assert roster(TEXT, {}, key=KEY) is None


def test_nothing_is_written_where_nothing_has_changed() -> None:
    added = roster(TEXT, {"worker-9": Kind.WORKER}, key=KEY)
    assert added is not None
    assert roster(added, {"worker-9": Kind.WORKER}, key=KEY) is None


def test_tokens_differ_by_host_and_by_key() -> None:
    tokens = {token_of(name, key=key) for name in ("a", "b") for key in (KEY, KEY[::-1])}
    assert len(tokens) == 4
    assert all(len(token) == 43 for token in tokens)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"hosts": [{}]}'])
def test_what_is_no_roster_is_not_overwritten(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        roster(text, {"worker-9": Kind.WORKER}, key=KEY)


def test_hosts_that_were_added_are_told_from_those_of_the_install() -> None:
    text = roster(TEXT, ADDED, key=KEY)
    assert text is not None
    assert (added_in(TEXT), added_in(text)) == ((), ("worker-9",))


def test_another_key_gives_all_hosts_that_were_added_another_token() -> None:
    before = roster(TEXT, ADDED, key=KEY)
    assert before is not None
    text = roster(before, ADDED, key=KEY[::-1])
    assert text is not None
    known = parse(text, source="hosts.json")
    assert known.bearer(token_of("worker-9", key=KEY)) is None
    assert known.bearer(token_of("worker-9", key=KEY[::-1])) is not None


@pytest.mark.parametrize(
    "found",
    [stored(made(b"new")), stored(made(b"new", owner="me")), stored(made(b"new")) | {"x": 1}],
)
def test_a_secret_that_fits_is_left_as_it_is(found: dict[str, Any]) -> None:
    assert correction(found, made(b"new")) is None


@pytest.mark.parametrize(
    "found",
    [
        stored(made(b"old")),
        stored({**made(b"old"), "data": {}}),
        {key: value for key, value in stored(made(b"old")).items() if key != "data"},
        stored(secret(PLACE, {"userData": b"new"})),
    ],
)
def test_a_secret_of_ours_that_does_not_fit_is_corrected(found: dict[str, Any]) -> None:
    wanted = made(b"new")
    assert correction(found, wanted) == {
        "metadata": {"resourceVersion": "7", "labels": wanted["metadata"]["labels"]},
        "data": wanted["data"],
    }


@pytest.mark.parametrize("labels", [{}, MARK, {"app.kubernetes.io/part-of": "ingot"}])
def test_a_secret_that_somebody_made_is_not_corrected(labels: dict[str, str]) -> None:
    assert correction(stored(made(b"their own"), labels=labels), made(b"new")) is None
