"""The `tls/` folder: the cluster's authorities, and what they vouch for before it exists.

Each authority is a pair of files that a person may replace by one of their own. Authorities last
ten years, and what they sign here a year; kubeadm renews its own when it upgrades a node.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from ingot.assets.endpoints import api_names, apps_domain, services_address
from ingot.assets.graph.files import Files
from ingot.config.model import InstallConfig
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential
from ingot.pki.keypair import KeyPair
from ingot.pki.term import AUTHORITY_LIFETIME, LEAF_LIFETIME, Term

__all__ = [
    "ADMINISTRATORS",
    "AUTHORITIES",
    "admin",
    "authority",
    "certificate_path",
    "config_server",
    "ingress",
    "ironic",
    "key_path",
    "service_account",
]

AUTHORITIES: Final = {
    "ca": "kubernetes",
    "etcd-ca": "etcd-ca",
    "front-proxy-ca": "front-proxy-ca",
    "config-server-ca": "ingot-config-server-ca",
    "ironic-ca": "ingot-ironic-ca",
    "ingress-ca": "ingot-ingress-ca",
}
"""Their files' names, each with what the authority calls itself; the first three as kubeadm's."""

ADMINISTRATORS: Final = "system:masters"
"""The group whose members may do everything, whatever the cluster's rules are."""

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


def certificate_path(name: str) -> str:
    """Return where a certificate is."""
    return f"tls/{name}.crt"


def key_path(name: str) -> str:
    """Return where a key is."""
    return f"tls/{name}.key"


def authority(name: str, *, now: datetime) -> Files:
    """Return the files of one of the AUTHORITIES."""
    made = Authority.made(AUTHORITIES[name], Term.since(now, AUTHORITY_LIFETIME))
    return _files(name, made.credential)


def service_account() -> Files:
    """Return the keys that the tokens of service accounts are signed and checked with."""
    pair = KeyPair.made()
    return {"tls/sa.key": pair.private, "tls/sa.pub": pair.public}


def admin(files: Files, *, now: datetime) -> Files:
    """Return the administrator's certificate, signed by the cluster's authority.

    Raises:
        CredentialError: that authority cannot be used.
    """
    term = Term.since(now, LEAF_LIFETIME)
    signed = _signer(files, "ca").client("ingot-admin", term, organization=ADMINISTRATORS)
    return _files("admin", signed)


def config_server(config: InstallConfig, files: Files, *, now: datetime) -> Files:
    """Return the certificate of the config server, which hosts reach by the VIP.

    Raises:
        CredentialError: its authority cannot be used.
    """
    names = (*map(str, config.baremetal.api_vips), *api_names(config), *LOOPBACK)
    term = Term.since(now, LEAF_LIFETIME)
    signed = _signer(files, "config-server-ca").server("ingot-config-server", names, term)
    return _files("config-server", signed)


def ingress(config: InstallConfig, files: Files, *, now: datetime) -> Files:
    """Return the certificate of all applications that bring none of their own.

    Raises:
        CredentialError: its authority cannot be used.
    """
    name = f"*.{apps_domain(config)}"
    signed = _signer(files, "ingress-ca").server(name, (name,), Term.since(now, LEAF_LIFETIME))
    return _files("ingress", signed)


def ironic(config: InstallConfig, files: Files, *, now: datetime) -> Files:
    """Return the certificate of Ironic's API, on the bootstrap VM and later in the cluster.

    Raises:
        CredentialError: its authority cannot be used.
    """
    later = config.baremetal.cluster_provisioning_ip
    addresses = dict.fromkeys(
        map(
            str,
            (
                services_address(config),
                *config.baremetal.api_vips,
                *((later,) if later is not None else ()),
            ),
        )
    )
    names = (*addresses, *api_names(config)[1:], *LOOPBACK)
    signed = _signer(files, "ironic-ca").server(
        "ingot-ironic", names, Term.since(now, LEAF_LIFETIME)
    )
    return _files("ironic", signed)


def _signer(files: Files, name: str) -> Authority:
    return Authority.read(files[certificate_path(name)], files[key_path(name)])


def _files(name: str, credential: Credential) -> Files:
    return {certificate_path(name): credential.certificate, key_path(name): credential.key}
