"""The ramdisk takes keys and authorities from the kernel command line."""

from __future__ import annotations

import base64
import ssl
from pathlib import Path

import pytest

from ingot.agent.arguments import Arguments, Unusable, apply, parse

DER = b"0\x03\x02\x01\x05"
CERTIFICATE = base64.b64encode(DER).decode()
KEY = "ssh-ed25519 AAAAC3Nz someone@somewhere"


def test_line_without_our_arguments_asks_for_nothing() -> None:
    assert parse("BOOT_IMAGE=/vmlinuz ipa-api-url=mdns quiet") == Arguments()


def test_quoted_key_is_taken_with_its_spaces() -> None:
    assert parse(f'quiet sshkey="{KEY}" text').ssh_keys == (KEY,)


def test_authority_is_turned_into_pem() -> None:
    (pem,) = parse(f"ingot.ca={CERTIFICATE}").authorities
    assert ssl.PEM_cert_to_DER_cert(pem) == DER


def test_every_authority_is_taken() -> None:
    assert len(parse(f"ingot.ca={CERTIFICATE} ingot.ca={CERTIFICATE}").authorities) == 2


def test_empty_argument_asks_for_nothing() -> None:
    assert parse("sshkey= ingot.ca=") == Arguments()


@pytest.mark.parametrize(
    ("line", "said"),
    [("ingot.ca=MII*", "not base64"), ('sshkey="ssh-ed25519', "open quote")],
)
def test_unreadable_argument_is_refused(line: str, said: str) -> None:
    with pytest.raises(Unusable, match=said):
        parse(line)


def test_keys_can_be_read_by_nobody_else(tmp_path: Path) -> None:
    apply(Arguments(ssh_keys=(KEY,)), tmp_path)
    file = tmp_path / "root/.ssh/authorized_keys"
    assert file.read_text(encoding="utf-8") == f"{KEY}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_authorities_are_added_to_those_of_the_system(tmp_path: Path) -> None:
    trusted = tmp_path / "etc/ssl/certs/ca-certificates.crt"
    trusted.parent.mkdir(parents=True)
    trusted.write_text("before\n", encoding="utf-8")
    apply(parse(f"ingot.ca={CERTIFICATE}"), tmp_path)
    text = trusted.read_text(encoding="utf-8")
    assert text.startswith("before\n-----BEGIN CERTIFICATE-----")


def test_nothing_asked_writes_nothing(tmp_path: Path) -> None:
    apply(Arguments(), tmp_path)
    assert list(tmp_path.iterdir()) == []
