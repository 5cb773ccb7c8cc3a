"""Ironic's certificate and password: kept while they hold, and made anew in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingot.metal3.cluster.credentials import FILES, Ring, names_of, ring
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential
from tests.unit.metal3.pod.told import settings

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = ("172.22.0.3", "192.168.111.5", "127.0.0.1")
MONTH = timedelta(days=30)


def first() -> Ring:
    return ring({}, {}, NAMES, now=NOW)


def later(made: Ring, after: timedelta, names: tuple[str, ...] = NAMES) -> Ring:
    return ring(made.authority, made.files, names, now=NOW + after)


def test_where_there_is_nothing_all_is_made() -> None:
    made = first()
    assert made.new_authority
    assert made.new_files
    assert set(made.files) == set(FILES)
    leaf = Credential.read(made.files["tls.crt"], made.files["tls.key"])
    assert leaf.covers(NAMES)
    assert leaf.is_signed_by(made.files["ca.crt"])
    authority = Authority.read(made.authority["tls.crt"], made.authority["tls.key"])
    assert authority.certificate == made.files["ca.crt"]


def test_the_pod_is_never_given_the_key_of_the_authority() -> None:
    made = first()
    assert made.authority["tls.key"] not in made.files.values()


def test_what_holds_is_kept() -> None:
    made = first()
    kept = later(made, MONTH)
    assert not kept.new_files
    assert not kept.new_authority
    assert kept.files == made.files
    assert timedelta(days=190) < timedelta(seconds=kept.renew_after) < timedelta(days=220)


def test_after_two_thirds_of_its_life_the_certificate_and_the_password_are_new() -> None:
    made = first()
    renewed = later(made, timedelta(days=245))
    assert renewed.new_files
    assert not renewed.new_authority
    assert renewed.files["ca.crt"] == made.files["ca.crt"]
    assert renewed.files["password"] != made.files["password"]
    assert renewed.files["tls.crt"] != made.files["tls.crt"]


def test_an_address_that_the_certificate_lacks_makes_a_new_one() -> None:
    assert later(first(), MONTH, (*NAMES, "172.22.0.9")).new_files


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_makes_new_ones(name: str) -> None:
    made = first()
    files = {key: value for key, value in made.files.items() if key != name}
    assert ring(made.authority, files, NAMES, now=NOW + MONTH).new_files


def test_an_authority_that_cannot_be_read_is_replaced() -> None:
    made = first()
    broken = {**made.authority, "tls.key": b"nothing"}
    found = ring(broken, made.files, NAMES, now=NOW + MONTH)
    assert found.new_authority
    assert found.new_files


def test_ironic_is_known_by_all_its_addresses_and_by_loopback() -> None:
    names = names_of(settings(externalAddresses=["192.168.111.5", "fd00::5"]))
    assert {"172.22.0.2", "192.168.111.5", "fd00::5", "127.0.0.1"} <= set(names)
