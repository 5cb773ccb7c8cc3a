"""The lab's CA and what it signs."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509

from ingot.lab.bmc import certificates
from ingot.lab.bmc.certificates import Authority, Credentials

ADDRESS = IPv4Address("192.0.2.7")


def certificate(files: Credentials) -> x509.Certificate:
    return x509.load_pem_x509_certificate(files.certificate.read_bytes())


def shakes_hands(trusted: Path, files: Credentials, name: str) -> bool:
    """Whether a client that trusts a CA and wants a name is content with what a server shows."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(files.certificate, files.key)
    asking = ssl.create_default_context(cafile=str(trusted))
    asking.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve() -> None:
        try:
            serving.wrap_socket(there, server_side=True).close()
        except ssl.SSLError:
            there.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        asking.wrap_socket(here, server_hostname=name).close()
    except ssl.SSLCertVerificationError:
        return False
    finally:
        here.close()
        thread.join()
        there.close()
    return True


def test_a_client_that_trusts_the_ca_accepts_address_and_name(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    files = authority.credentials("master-0-bmc", ADDRESS)
    assert shakes_hands(authority.certificate, files, str(ADDRESS))
    assert shakes_hands(authority.certificate, files, "master-0-bmc")
    assert not shakes_hands(authority.certificate, files, "192.0.2.8")


def test_the_ca_of_another_lab_is_not_this_one(tmp_path: Path) -> None:
    files = Authority(tmp_path / "one").credentials("bmc", ADDRESS)
    other = Authority(tmp_path / "two")
    assert not shakes_hands(other.certificate, files, str(ADDRESS))


def test_ca_and_certificates_are_kept(tmp_path: Path) -> None:
    first = Authority(tmp_path)
    ca, files = first.certificate.read_bytes(), first.credentials("bmc", ADDRESS)
    before = files.certificate.read_bytes()
    again = Authority(tmp_path)
    assert again.certificate.read_bytes() == ca
    assert again.credentials("bmc", ADDRESS) == files
    assert files.certificate.read_bytes() == before


def test_another_address_needs_another_certificate(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.credentials("bmc", ADDRESS)
    files = authority.credentials("bmc", IPv4Address("192.0.2.9"))
    assert shakes_hands(authority.certificate, files, "192.0.2.9")


@pytest.mark.parametrize("name", ["ca.pem", "ca.key"])
def test_a_new_ca_signs_everything_anew(tmp_path: Path, name: str) -> None:
    Authority(tmp_path).credentials("bmc", ADDRESS)
    (tmp_path / name).unlink()
    authority = Authority(tmp_path)
    files = authority.credentials("bmc", ADDRESS)
    assert shakes_hands(authority.certificate, files, str(ADDRESS))


@pytest.mark.parametrize("name", ["bmc.pem", "bmc.key"])
def test_a_file_that_cannot_be_read_is_made_anew(tmp_path: Path, name: str) -> None:
    authority = Authority(tmp_path)
    authority.credentials("bmc", ADDRESS)
    (tmp_path / name).write_text("broken")
    files = authority.credentials("bmc", ADDRESS)
    assert shakes_hands(authority.certificate, files, str(ADDRESS))


def test_a_certificate_that_is_about_to_end_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setattr(certificates, "LIFETIME", timedelta(days=29))
    old = certificate(authority.credentials("bmc", ADDRESS))
    monkeypatch.undo()
    new = certificate(authority.credentials("bmc", ADDRESS))
    assert old.serial_number != new.serial_number
    assert new.not_valid_after_utc > datetime.now(UTC) + timedelta(days=3000)


def test_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    Authority(tmp_path).credentials("bmc", ADDRESS)
    for key in tmp_path.glob("*.key"):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
