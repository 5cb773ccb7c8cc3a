"""The certificate's life: made, renewed, and trusted before it is served."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from ingot.errors import IngotError
from ingot.metal3.webhooks.certificates import LIFETIME, SETTLING, Keyring, advanced
from ingot.metal3.webhooks.rotating import Rotation, keep, kept
from tests.unit.kube.fastforward import fast_forward

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("webhook.metal3.svc", "10.0.0.5")
DAY = timedelta(days=1)


def is_trusted(ring: Keyring, bundle: bytes, now: datetime, name: str = NAMES[0]) -> bool:
    """Return whether a client with this bundle would speak to who serves with this ring."""
    policy = PolicyBuilder().store(Store(x509.load_pem_x509_certificates(bundle))).time(now)
    is_address = name[0].isdigit()
    subject = x509.IPAddress(ip_address(name)) if is_address else x509.DNSName(name)
    served = x509.load_pem_x509_certificate(ring.serving.certificate)
    try:
        policy.build_server_verifier(subject).verify(served, [])
    except VerificationError:
        return False
    return True


def present(folder: Path) -> Keyring:
    ring = kept(folder)
    assert ring is not None
    return ring


def test_the_first_certificate_is_trusted_for_all_its_names_by_an_elliptic_key() -> None:
    ring = advanced(None, NAMES, now=BEGIN)
    assert all(is_trusted(ring, ring.ca_bundle, BEGIN, name) for name in NAMES)
    assert not is_trusted(ring, ring.ca_bundle, BEGIN, "other.metal3.svc")
    served = x509.load_pem_x509_certificate(ring.serving.certificate)
    assert isinstance(served.public_key(), ec.EllipticCurvePublicKey)
    assert advanced(ring, NAMES, now=BEGIN + 59 * DAY) is ring


def test_the_next_one_is_trusted_first_and_served_only_when_that_has_settled() -> None:
    ring = advanced(None, NAMES, now=BEGIN)
    due = BEGIN + 61 * DAY
    second = advanced(ring, NAMES, now=due, trusted_since=BEGIN)
    assert second.serving == ring.serving
    assert second.coming is not None
    assert advanced(second, NAMES, now=due + DAY) is second  # nobody was told
    early = due + SETTLING - timedelta(seconds=1)
    assert advanced(second, NAMES, now=early, trusted_since=due) is second
    third = advanced(second, NAMES, now=due + SETTLING, trusted_since=due)
    assert third.serving == second.coming
    assert is_trusted(third, second.ca_bundle, due + SETTLING)
    assert is_trusted(second, third.ca_bundle, due + SETTLING)


def test_an_expired_authority_is_no_longer_trusted() -> None:
    ring = advanced(None, NAMES, now=BEGIN)
    for days in range(0, 300, 10):
        now = BEGIN + days * DAY
        ring = advanced(ring, NAMES, now=now, trusted_since=now - SETTLING)
        assert is_trusted(ring, ring.ca_bundle, now)
        assert ring.ca_bundle.count(b"BEGIN") <= 3


@pytest.mark.parametrize(("names", "after"), [(NAMES, LIFETIME + DAY), (("elsewhere.svc",), DAY)])
def test_one_that_cannot_serve_is_replaced_at_once(
    names: tuple[str, ...], after: timedelta
) -> None:
    ring = advanced(None, NAMES, now=BEGIN)
    new = advanced(ring, names, now=BEGIN + after)
    assert is_trusted(new, new.ca_bundle, BEGIN + after, names[0])


def test_a_keyring_is_the_same_after_a_folder_and_readable_by_its_owner_only(
    tmp_path: Path,
) -> None:
    ring = advanced(None, NAMES, now=BEGIN)
    ring = advanced(ring, NAMES, now=BEGIN + 61 * DAY)
    keep(ring, tmp_path / "keys")
    assert kept(tmp_path / "keys") == ring
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "keys").iterdir()} == {0o600}
    ring = advanced(ring, NAMES, now=BEGIN + 62 * DAY, trusted_since=BEGIN + 61 * DAY)
    keep(ring, tmp_path / "keys")
    assert kept(tmp_path / "keys") == ring


@pytest.mark.parametrize("name", ["tls.crt", "tls.key", "ca.crt"])
def test_files_that_do_not_belong_together_are_no_keyring(tmp_path: Path, name: str) -> None:
    ring, other = (advanced(None, NAMES, now=BEGIN) for _ in range(2))
    keep(ring, tmp_path)
    (tmp_path / name).write_bytes(other.files()[name])
    assert kept(tmp_path) is None
    (tmp_path / name).write_bytes(b"rubbish")
    assert kept(tmp_path) is None
    (tmp_path / name).unlink()
    assert kept(tmp_path) is None


def test_a_key_is_in_no_text_of_a_keyring() -> None:
    assert "PRIVATE" not in repr(advanced(None, NAMES, now=BEGIN))


@dataclass
class ApiServer:
    """Trusts what it was last told."""

    bundle: bytes = b""
    down: bool = False
    told: list[bytes] = field(default_factory=list)

    async def trust(self, bundle: bytes) -> None:
        if self.down:
            raise IngotError("the API server is away")
        self.bundle = bundle
        self.told.append(bundle)


@fast_forward
async def test_a_server_that_was_away_is_told_when_it_is_back() -> None:
    with TemporaryDirectory() as folder:
        api = ApiServer(down=True)
        rotation = Rotation(
            folder=Path(folder), names=NAMES, publish=api.trust, clock=lambda: BEGIN, every=60
        )
        running = asyncio.create_task(rotation.run())
        await asyncio.sleep(200)
        assert api.told == []
        api.down = False
        await asyncio.sleep(200)
        assert api.told == [present(Path(folder)).ca_bundle]
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


def test_a_year_of_rotations_is_trusted_on_every_day(tmp_path: Path) -> None:
    asyncio.run(_a_year(tmp_path))


async def _a_year(folder: Path) -> None:
    api, now = ApiServer(), BEGIN
    rotation = Rotation(folder=folder, names=NAMES, publish=api.trust, clock=lambda: now)
    rotation.begin()
    served = set()
    for _ in range(2 * 365):
        await rotation.step()
        ring = present(folder)
        assert is_trusted(ring, api.bundle, now)
        served.add(ring.serving.certificate)
        now += DAY / 2
    assert len(served) in (6, 7)
    assert len(api.told) < 20  # told of changes only


def test_nothing_new_is_served_while_the_api_server_cannot_be_told(tmp_path: Path) -> None:
    asyncio.run(_untold(tmp_path))


async def _untold(folder: Path) -> None:
    api, now = ApiServer(), BEGIN
    rotation = Rotation(folder=folder, names=NAMES, publish=api.trust, clock=lambda: now)
    await rotation.step()
    first = present(folder)
    api.down = True
    for _ in range(20):
        now = max(now, BEGIN + 61 * DAY) + DAY / 2
        with pytest.raises(IngotError):
            await rotation.step()
        assert present(folder).serving == first.serving
    api.down = False
    await rotation.step()
    assert present(folder).serving == first.serving  # told now, so not yet settled
    now += SETTLING
    await rotation.step()
    ring = present(folder)
    assert ring.serving != first.serving
    assert is_trusted(ring, api.bundle, now)
