"""What Ironic is reached with, and what of it is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.ironic.access import Access, AccessError, Credentials, Tls
from ingot.ironic.bmc import Subscription
from ingot.ironic.driving import ConfigDrive, Step


@pytest.mark.parametrize(
    "url", ["http://a:6385", "http://a:6385/", "http://a:6385/v1", "http://a:6385/v1/"]
)
def test_an_address_may_end_in_the_version(url: str) -> None:
    assert Access(url).root == "http://a:6385"


@pytest.mark.parametrize("url", ["", "ironic:6385", "ftp://ironic", "https://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(AccessError, match="is no address") as refused:
        Access(url)
    assert refused.value.remedy


def test_a_password_in_an_address_is_refused_without_being_shown() -> None:
    with pytest.raises(AccessError) as refused:
        Access("https://user:hush@ironic:6385")
    assert "hush" not in f"{refused.value} {refused.value.remedy}"


def test_credentials_are_read_as_a_secret_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "username").write_text("operator\n", encoding="utf-8")
    (tmp_path / "password").write_text("hush\n", encoding="utf-8")
    assert Credentials.read(tmp_path) == Credentials("operator", "hush")


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xff"])
def test_a_secret_without_its_content_is_named(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "username").write_text("operator", encoding="utf-8")
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    with pytest.raises(AccessError, match="password"):
        Credentials.read(tmp_path)


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_a_ca_that_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ca.crt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AccessError, match=r"ca\.crt"):
        Tls(ca_file=path).context()


@pytest.mark.parametrize(
    "value",
    [
        Access("http://a", Credentials("operator", "hush")),
        ConfigDrive(meta_data={}, user_data="hush"),
        Step(interface="deploy", step="a", args={"password": "hush"}),
        Subscription(destination="http://b", headers=({"Authorization": "hush"},)),
    ],
)
def test_secrets_are_not_in_what_is_printed(value: object) -> None:
    assert "hush" not in repr(value) + str(value)
