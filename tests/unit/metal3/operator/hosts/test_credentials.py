"""What a Secret must hold to be used for a BMC."""

from __future__ import annotations

import pytest

from ingot.kube.kind import ObjectKey
from ingot.metal3.host.observation import CredentialsGood, CredentialsMissing, CredentialsUnusable
from ingot.metal3.operator.hosts.credentials import credentials_in
from ingot.metal3.operator.secrets import Secret

KEY = ObjectKey("metal3", "bmc")


def test_both_are_taken_as_they_are() -> None:
    found = credentials_in(Secret(KEY, "7", {"username": b"root", "password": b" pass\n"}))
    assert found.seen == CredentialsGood("7")
    assert found.usable is not None
    assert found.usable.password == " pass\n"


def test_missing_secret_is_no_unusable_one() -> None:
    assert credentials_in(None).seen == CredentialsMissing()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "`username` is missing; `password` is missing"),
        ({"username": b"root"}, "`password` is missing"),
        ({"username": b"root", "password": b""}, "`password` is empty"),
        ({"username": b"\xff\xfe", "password": b"x"}, "`username` is no UTF-8 text"),
    ],
)
def test_what_is_wrong_is_named_and_not_shown(data: dict[str, bytes], said: str) -> None:
    found = credentials_in(Secret(KEY, "7", data))
    assert found.seen == CredentialsUnusable(said)
    assert found.usable is None
