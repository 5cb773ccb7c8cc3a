"""What Secrets say, and what is told of those that say nothing usable."""

from __future__ import annotations

import json

import pytest

from ingot.kube.kind import ObjectKey
from ingot.metal3.operator.hostdata import Mistake, described, meta_data, text_of
from ingot.metal3.operator.secrets import Secret

KEY = "networkData"


def secret(**data: bytes) -> Secret:
    return Secret(ObjectKey("metal3", "net"), "7", data)


def test_a_text_is_found_by_its_key_and_else_under_value() -> None:
    assert text_of(secret(userData=b"a", value=b"b"), "userData") == "a"
    assert text_of(secret(value=b"b"), "userData") == "b"
    assert text_of(secret(other=b"c"), "userData") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"links: [{id: eth0, mtu: 1500}]", {"links": [{"id": "eth0", "mtu": 1500}]}),
        (b'{"links": [], "up": true}', {"links": [], "up": True}),
        (b"1: one", {"1": "one"}),
        (b"ratio: 1.5", {"ratio": 1.5}),
        (b"", None),
        (b"# nothing\n", None),
        (b"null", None),
    ],
)
def test_yaml_and_json_are_read(text: bytes, value: object) -> None:
    assert described(secret(networkData=text), KEY) == value


@pytest.mark.parametrize("text", ["52:54:00:12:34:56", "10:20", "2026-03-01", "12:30:45.5"])
def test_what_old_yaml_takes_for_a_number_or_a_date_stays_a_text(text: str) -> None:
    assert described(secret(networkData=f"mac: {text}".encode()), KEY) == {"mac": text}


ENDLESS = "a: &a [x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(10)
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"\xff\xfe", "no UTF-8"),
        (b"a: 1\nhush: ]", "neither YAML nor JSON: see line 2"),
        (b"hush: !!python/object:os.system {}", "neither YAML nor JSON"),
        (b"hush", "no mapping"),
        (b"- hush", "no mapping"),
        (b"hush: &a [*a]", "unfolds"),
        (ENDLESS.encode(), "unfolds"),
        (b"hush: !!binary aHVzaA==", "JSON cannot say"),
        (b"hush: [" + b"a," * 200_000 + b"]", "too long for YAML"),
        (b"[" * 100_000, "too deep"),
        (b"- " * 100_000, "too deep"),
        (b"{a: " * 100_000, "too deep"),
        (b"hush: \x01", "neither YAML nor JSON"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_place_and_never_shown(text: bytes, says: str) -> None:
    with pytest.raises(Mistake) as told:
        described(secret(networkData=text), KEY)
    message = str(told.value)
    assert says in message
    assert "Secret metal3/net, key `networkData`" in message
    assert "hush" not in message


def test_json_may_be_long() -> None:
    long = {"links": ["x" * 100] * 5000}
    assert described(secret(networkData=json.dumps(long).encode()), KEY) == long


def test_the_fallback_key_is_named_where_it_is_wrong() -> None:
    with pytest.raises(Mistake, match="key `value`"):
        described(secret(value=b"- a"), KEY)


def test_a_server_knows_its_name_and_a_person_may_say_otherwise() -> None:
    said = meta_data({"name": "other", "rack": 7}, namespace="metal3", name="worker-0", uid="u-1")
    assert said == {
        "uuid": "u-1",
        "metal3-namespace": "metal3",
        "metal3-name": "worker-0",
        "local-hostname": "worker-0",
        "local_hostname": "worker-0",
        "name": "other",
        "rack": 7,
    }
