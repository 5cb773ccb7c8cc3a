"""What is read of a request for a certificate."""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from ingot.machineapi.approving.request import Request, is_pending
from tests.unit.machineapi.approving.asking import csr, stored


def test_names_and_addresses_are_read_apart() -> None:
    pem = csr(dns=["Worker-0"], addresses=["192.168.111.30", "fd2e:6f44:5dd8::30"])
    asked = Request.of(stored(pem)).asked
    assert asked is not None
    assert asked.node == "worker-0"
    assert asked.organisations == ("system:nodes",)
    assert asked.dns == {"worker-0"}
    assert asked.addresses == {"192.168.111.30", "fd2e:6f44:5dd8::30"}
    assert not asked.other_names


def test_a_uri_is_noticed() -> None:
    asked = Request.of(stored(csr(more=[x509.UniformResourceIdentifier("spiffe://a/b")]))).asked
    assert asked is not None
    assert asked.other_names


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"no request",
        csr().replace(b"CERTIFICATE REQUEST", b"CERTIFICATE"),
    ],
)
def test_what_is_no_request_is_read_as_nothing(pem: bytes) -> None:
    assert Request.of(stored(pem)).asked is None


def test_a_request_that_was_changed_after_it_was_signed_is_read_as_nothing() -> None:
    loaded = x509.load_pem_x509_csr(csr())
    changed = loaded.public_bytes(Encoding.DER).replace(b"worker-0", b"worker-1")
    pem = x509.load_der_x509_csr(changed).public_bytes(Encoding.PEM)
    assert Request.of(stored(pem)).asked is None


@pytest.mark.parametrize("name", ["worker-0", "system:admin", "", "system:node:"])
def test_a_name_that_is_no_nodes_names_no_node(name: str) -> None:
    asked = Request.of(stored(csr(name))).asked
    assert asked is not None
    assert asked.node == ""


def test_a_subject_that_says_more_names_no_node() -> None:
    asked = Request.of(stored(csr(unit="kitchen"))).asked
    assert asked is not None
    assert asked.node == ""


@pytest.mark.parametrize(
    ("status", "pending"),
    [
        ({}, True),
        ({"conditions": [{"type": "Approved", "status": "True"}]}, False),
        ({"conditions": [{"type": "Denied", "status": "True"}]}, False),
        ({"conditions": [{"type": "Failed", "status": "True"}]}, False),
        ({"certificate": "cGVt"}, False),
    ],
)
def test_a_request_is_pending_until_somebody_has_decided(
    status: dict[str, object], *, pending: bool
) -> None:
    assert is_pending(stored(csr(), status=status)) is pending
