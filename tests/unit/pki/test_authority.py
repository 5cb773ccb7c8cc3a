"""An authority, what it signs, and who is content with that."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from ingot.pki.authority import Authority
from ingot.pki.credential import Credential, CredentialError, private_pem
from ingot.pki.keypair import KeyPair
from ingot.pki.naming import distinguished
from ingot.pki.term import AUTHORITY_LIFETIME, LEAF_LIFETIME, SKEW, Term

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LONG = Term.since(NOW, AUTHORITY_LIFETIME)
YEAR = Term.since(NOW, LEAF_LIFETIME)
NAMES = ("192.0.2.5", "2001:db8::5", "api.rack1.example.com")


def is_trusted(served: Credential, authority: Authority, name: str, *, at: datetime = NOW) -> bool:
    """Return whether a strict client that trusts an authority is content with a server."""
    store = Store(x509.load_pem_x509_certificates(authority.certificate))
    subject: x509.DNSName | x509.IPAddress = x509.DNSName(name)
    if name in NAMES[:2]:
        subject = x509.IPAddress(ip_address(name))
    try:
        PolicyBuilder().store(store).time(at).build_server_verifier(subject).verify(
            served.parsed, []
        )
    except VerificationError:
        return False
    return True


def an_rsa_authority(*, with_key_identifier: bool) -> Authority:
    """Return an authority as a company may have one."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = distinguished("Example Corp CA")
    builder = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(LONG.begins)
        .not_valid_after(LONG.ends)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )
    if with_key_identifier:
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        builder = builder.add_extension(identifier, critical=False)
    made = builder.sign(key, hashes.SHA256())
    return Authority.read(made.public_bytes(Encoding.PEM), private_pem(key))


@pytest.mark.parametrize("name", NAMES)
def test_a_server_is_trusted_for_each_of_its_names(name: str) -> None:
    authority = Authority.made("kubernetes", LONG)
    assert is_trusted(authority.server("api", NAMES, YEAR), authority, name)


def test_a_server_is_not_trusted_for_another_name_or_by_another_authority() -> None:
    authority, other = (Authority.made("kubernetes", LONG) for _ in range(2))
    served = authority.server("api", NAMES, YEAR)
    assert not is_trusted(served, authority, "other.example.com")
    assert not is_trusted(served, other, NAMES[0])


@pytest.mark.parametrize(
    ("when", "trusted"),
    [
        (NOW - SKEW + timedelta(minutes=1), True),
        (NOW - timedelta(days=1), True),
        (NOW - timedelta(days=3), False),
        (NOW + timedelta(days=364), True),
        (NOW + timedelta(days=366), False),
    ],
)
def test_a_clock_may_be_a_day_behind_but_not_three(when: datetime, *, trusted: bool) -> None:
    authority = Authority.made("kubernetes", LONG)
    served = authority.server("api", NAMES, YEAR)
    assert is_trusted(served, authority, NAMES[0], at=when) is trusted


def test_nothing_outlives_its_authority() -> None:
    authority = Authority.made("short", Term.since(NOW, timedelta(days=7)))
    assert authority.server("api", NAMES, YEAR).term.ends == NOW + timedelta(days=7)
    assert authority.client("admin", YEAR).term.ends == NOW + timedelta(days=7)


def test_keys_are_of_the_curve_p256() -> None:
    authority = Authority.made("kubernetes", LONG)
    for credential in (authority.credential, authority.client("admin", YEAR)):
        key = credential.private
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        assert isinstance(key.curve, ec.SECP256R1)


def test_an_authority_signs_certificates_and_nothing_else() -> None:
    own = Authority.made("kubernetes", LONG).credential.parsed.extensions
    limits = own.get_extension_for_class(x509.BasicConstraints)
    usage = own.get_extension_for_class(x509.KeyUsage)
    assert (limits.critical, limits.value.ca, limits.value.path_length) == (True, True, 0)
    assert (usage.critical, usage.value.key_cert_sign, usage.value.crl_sign) == (True, True, True)
    assert not usage.value.digital_signature


def test_a_client_is_known_by_name_and_group_and_is_no_server() -> None:
    authority = Authority.made("kubernetes", LONG)
    client = authority.client("admin", YEAR, organization="system:masters")
    subject = client.parsed.subject
    assert [one.value for one in subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["admin"]
    groups = subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    assert [one.value for one in groups] == ["system:masters"]
    extended = client.parsed.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(extended) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert client.names == ()


def test_a_leaf_names_the_key_of_its_authority() -> None:
    authority = Authority.made("kubernetes", LONG)
    leaf = authority.server("api", NAMES, YEAR).parsed.extensions
    link = leaf.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    own = authority.credential.parsed.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    assert link.key_identifier == own.value.digest
    assert leaf.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest != own.value.digest


@pytest.mark.parametrize("with_key_identifier", [True, False])
def test_an_rsa_authority_that_somebody_brings_along_signs_too(
    *, with_key_identifier: bool
) -> None:
    authority = an_rsa_authority(with_key_identifier=with_key_identifier)
    served = authority.server("api", NAMES, YEAR)
    assert served.is_signed_by(authority.certificate)


def test_what_is_written_can_be_served_with(tmp_path: Path) -> None:
    served = Authority.made("kubernetes", LONG).server("api", NAMES, YEAR)
    (tmp_path / "tls.crt").write_bytes(served.certificate)
    (tmp_path / "tls.key").write_bytes(served.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")


def test_a_leaf_is_no_authority() -> None:
    leaf = Authority.made("kubernetes", LONG).server("api", NAMES, YEAR)
    with pytest.raises(CredentialError, match="CN=api is no authority"):
        Authority.read(leaf.certificate, leaf.key)


def test_files_that_do_not_belong_together_are_refused() -> None:
    one, two = (Authority.made(name, LONG).credential for name in ("one", "two"))
    with pytest.raises(CredentialError, match="not that of the certificate CN=one"):
        Authority.read(one.certificate, two.key)


def an_encrypted_key() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    secret = BestAvailableEncryption(b"secret")
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret)


def an_ed25519_key() -> bytes:
    key = ed25519.Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (b"rubbish", "cannot be read"),
        (an_encrypted_key(), "without a password"),
        (an_ed25519_key(), "neither"),
    ],
)
def test_a_key_that_cannot_be_used_is_refused(key: bytes, why: str) -> None:
    with pytest.raises(CredentialError, match=why):
        Authority.read(Authority.made("one", LONG).certificate, key)


def test_a_certificate_that_is_none_is_refused() -> None:
    with pytest.raises(CredentialError, match="certificate cannot be read"):
        Authority.read(b"rubbish", Authority.made("one", LONG).credential.key)


def test_a_key_is_in_no_text_of_what_holds_it() -> None:
    authority = Authority.made("one", LONG)
    assert "PRIVATE" not in repr(authority)
    assert "PRIVATE" not in repr(KeyPair.made())


def test_a_key_pair_is_two_halves_of_one() -> None:
    pair = KeyPair.made()
    private = Credential(b"", pair.private).private
    assert pair.public.startswith(b"-----BEGIN PUBLIC KEY-----")
    assert pair.public == KeyPair.of(private).public
