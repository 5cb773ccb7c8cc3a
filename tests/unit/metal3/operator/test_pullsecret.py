"""Credentials for registries."""

from __future__ import annotations

import base64
import json

import pytest

from ingot.kube.kind import ObjectKey
from ingot.metal3.operator.hostdata import Mistake
from ingot.metal3.operator.pullsecret import is_oci, pull_secret
from ingot.metal3.operator.secrets import Secret

IMAGE = "oci://registry.test:5000/os/node:1"
AUTH = base64.b64encode(b"anna:hu:sh").decode()


def secret(**data: object) -> Secret:
    texts = {
        f".{name}" if name.startswith("docker") else name: value
        if isinstance(value, bytes)
        else json.dumps(value).encode()
        for name, value in data.items()
    }
    return Secret(ObjectKey("metal3", "pull"), "1", texts)


def test_images_of_a_registry_are_told_by_their_scheme() -> None:
    assert is_oci("OCI://registry.test/x")
    assert not is_oci("https://registry.test/x")


@pytest.mark.parametrize(
    "entries",
    [
        {"registry.test:5000": {"auth": AUTH}},
        {"https://registry.test:5000/v2/": {"auth": AUTH}},
        {"registry.test:5000": {"username": "anna", "password": "hu:sh"}},
        {"registry.test:5000": {"auth": "bogus"}, "registry.test:5000/os": {"auth": AUTH}},
        {"other.test": {"auth": "bogus"}, "registry.test:5000": {"auth": AUTH}},
    ],
)
def test_the_entry_that_says_most_of_the_image_is_taken(entries: object) -> None:
    assert pull_secret(secret(dockerconfigjson={"auths": entries}), IMAGE) == "anna:hu:sh"
    assert pull_secret(secret(dockercfg=entries), IMAGE) == "anna:hu:sh"


def test_a_plain_user_name_and_password_do() -> None:
    assert pull_secret(secret(username=b"anna", password=b"hush"), IMAGE) == "anna:hush"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"dockerconfigjson": b"{hush"}, "key `.dockerconfigjson`, is no JSON"),
        ({"dockerconfigjson": b"\xff"}, "is no JSON"),
        ({"dockerconfigjson": ["hush"]}, "no entries"),
        ({"dockerconfigjson": {"auths": "hush"}}, "no entries"),
        ({"dockerconfigjson": {"auths": {"registry.test": {"auth": AUTH}}}}, "no entry for"),
        ({"dockerconfigjson": {"auths": {"registry.test:5000": "hush"}}}, "no user name"),
        ({"dockerconfigjson": {"auths": {"registry.test:5000": {"auth": "hu sh"}}}}, "no user"),
        ({"dockerconfigjson": {"auths": {"registry.test:5000": {"auth": 5}}}}, "no user name"),
        ({"dockercfg": {"registry.test:5000": {"identitytoken": "hush"}}}, "no user name"),
        ({"username": b"anna", "password": b"\xff"}, "unreadable"),
        ({"username": b"anna", "password": b""}, "empty"),
        ({"token": b"hush"}, "none of the keys"),
    ],
)
def test_what_cannot_be_used_is_told_and_never_shown(data: dict[str, object], says: str) -> None:
    with pytest.raises(Mistake) as told:
        pull_secret(secret(**data), IMAGE)
    assert says in str(told.value)
    assert "metal3/pull" in str(told.value)
    assert "hush" not in str(told.value)
