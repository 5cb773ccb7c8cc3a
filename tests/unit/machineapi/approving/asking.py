"""Requests for certificates, made and signed as a kubelet does."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address, ip_network
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ingot.kube.joiners import group_of
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.approving.request import CLIENT_SIGNER, REQUESTS, SERVING_SIGNER, Request
from ingot.machineapi.approving.world import Policy, World
from ingot.machineapi.seeing import HostSeen, MachineSeen, NodeCondition, NodeSeen

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MACHINE = ObjectKey("metal3", "workers-abc")
HOST = ObjectKey("metal3", "worker-0")
NAME = "worker-0"
ADDRESS = "192.168.111.30"

CLIENT_USAGES = ("digital signature", "client auth")
SERVER_USAGES = ("digital signature", "server auth")
TOKEN_GROUPS = ("system:bootstrappers", "system:authenticated", group_of(NAME))
NODE_GROUPS = ("system:nodes", "system:authenticated")


@cache
def key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def csr(
    name: str = f"system:node:{NAME}",
    *,
    organisations: Sequence[str] = ("system:nodes",),
    dns: Sequence[str] = (),
    addresses: Sequence[str] = (),
    more: Sequence[x509.GeneralName] = (),
    unit: str = "",
) -> bytes:
    """Return a signed request, as PEM."""
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, one) for one in organisations]
    subject += [x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else []
    subject += [x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, unit)] if unit else []
    builder = x509.CertificateSigningRequestBuilder(x509.Name(subject))
    names: list[x509.GeneralName] = [x509.DNSName(one) for one in dns]
    names += [x509.IPAddress(ip_address(one)) for one in addresses]
    if names or more:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([*names, *more]), critical=False
        )
    return builder.sign(key(), hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def stored(  # noqa: PLR0913 - a request says so much
    pem: bytes,
    *,
    signer: str = CLIENT_SIGNER,
    user: str = "system:bootstrap:abcdef",
    groups: Sequence[str] = TOKEN_GROUPS,
    usages: Sequence[str] = CLIENT_USAGES,
    created: datetime = NOW,
    status: dict[str, Any] | None = None,
) -> KubeObject[Content]:
    """Return the object of a request."""
    body = {
        "metadata": {
            "name": "csr-1",
            "creationTimestamp": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
        "spec": {
            "signerName": signer,
            "username": user,
            "groups": list(groups),
            "usages": list(usages),
            "request": base64.b64encode(pem).decode(),
        },
        "status": status or {},
    }
    return KubeObject(REQUESTS, json.dumps(body).encode())


def first(pem: bytes | None = None, **told: Any) -> Request:  # noqa: ANN401 - of `stored`
    """Return the request of a server that joins."""
    return Request.of(stored(pem or csr(), **told))


def renewing(pem: bytes | None = None, **told: Any) -> Request:  # noqa: ANN401 - of `stored`
    """Return the request of a Node for its next certificate as a client."""
    who = {"user": f"system:node:{NAME}", "groups": NODE_GROUPS}
    return Request.of(stored(pem or csr(), **{**who, **told}))


def serving(pem: bytes | None = None, **told: Any) -> Request:  # noqa: ANN401 - of `stored`
    """Return the request of a Node for its certificate as a server."""
    who = {
        "signer": SERVING_SIGNER,
        "user": f"system:node:{NAME}",
        "groups": NODE_GROUPS,
        "usages": SERVER_USAGES,
    }
    asked = pem or csr(dns=[NAME], addresses=[ADDRESS])
    return Request.of(stored(asked, **{**who, **told}))


def machine(**told: Any) -> MachineSeen:  # noqa: ANN401 - any of its facts
    facts: dict[str, Any] = {
        "key": MACHINE,
        "created": NOW - timedelta(minutes=30),
        "host": HOST,
        "addresses": frozenset({NAME, ADDRESS}),
        "names": frozenset({NAME}),
    }
    return MachineSeen(**{**facts, **told})


def host(**told: Any) -> HostSeen:  # noqa: ANN401 - any of its facts
    facts: dict[str, Any] = {
        "key": HOST,
        "consumer": MACHINE,
        "free": False,
        "state": "provisioned",
        "provisioned_at": NOW - timedelta(minutes=3),
        "addresses": frozenset({ADDRESS, "172.22.0.30"}),
        "wanted": True,
    }
    return HostSeen(**{**facts, **told})


def node(
    name: str = NAME, *, ready: bool = True, addresses: Sequence[str] = (ADDRESS,)
) -> NodeSeen:
    condition = NodeCondition("True" if ready else "Unknown", NOW)
    return NodeSeen(name=name, conditions={"Ready": condition}, addresses=frozenset(addresses))


def world(
    *,
    machines: Sequence[MachineSeen] | None = None,
    hosts: Sequence[HostSeen] | None = None,
    nodes: Sequence[NodeSeen] = (),
    networks: Sequence[str] = (),
    reserved: Sequence[str] = (),
) -> World:
    """Return a world with one Machine on one host, unless told otherwise."""
    listed = [machine()] if machines is None else machines
    known = [host()] if hosts is None else hosts
    return World(
        machines={one.key: one for one in listed},
        hosts={one.key: one for one in known},
        nodes={one.name: one for one in nodes},
        now=NOW,
        policy=Policy(
            networks=tuple(ip_network(one) for one in networks), reserved=frozenset(reserved)
        ),
    )


def joined(**told: Any) -> World:  # noqa: ANN401 - of `world`
    """Return a world in which the Machine has its Node."""
    facts: dict[str, Any] = {"machines": [machine(node=NAME)], "nodes": [node()]}
    return world(**{**facts, **told})
