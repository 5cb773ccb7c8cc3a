"""The tls/ folder and the administrator's kubeconfig."""

from __future__ import annotations

from base64 import b64decode
from datetime import timedelta

import pytest
import yaml
from cryptography import x509

from ingot.assets import tls
from ingot.pki.authority import Authority
from ingot.pki.credential import Credential, CredentialError
from ingot.pki.term import SKEW
from tests.unit.assets.clusters import NOW, cluster, install_files, platform_with

CONTRACT = {
    *(
        f"tls/{name}.{end}"
        for name in (
            "ca",
            "etcd-ca",
            "front-proxy-ca",
            "config-server-ca",
            "ironic-ca",
            "ingress-ca",
        )
        for end in ("crt", "key")
    ),
    "tls/sa.key",
    "tls/sa.pub",
    *(
        f"tls/{name}.{end}"
        for name in ("admin", "config-server", "ironic", "ingress")
        for end in ("crt", "key")
    ),
}


def credential(files: dict[str, bytes], name: str) -> Credential:
    return Credential.read(files[f"tls/{name}.crt"], files[f"tls/{name}.key"])


def test_the_folder_has_what_the_contract_says() -> None:
    files = install_files(cluster())
    assert {path for path in files if path.startswith("tls/")} == CONTRACT


@pytest.mark.parametrize("name", tls.AUTHORITIES)
def test_authorities_last_ten_years(name: str) -> None:
    files = tls.authority(name, now=NOW)
    authority = Authority.read(files[f"tls/{name}.crt"], files[f"tls/{name}.key"])
    assert authority.credential.term.ends == NOW.replace(year=NOW.year + 10)
    assert authority.credential.term.begins == NOW - SKEW


@pytest.mark.parametrize(
    ("name", "signer"),
    [
        ("admin", "ca"),
        ("config-server", "config-server-ca"),
        ("ironic", "ironic-ca"),
        ("ingress", "ingress-ca"),
    ],
)
def test_what_they_sign_lasts_a_year(name: str, signer: str) -> None:
    files = install_files(cluster())
    signed = credential(files, name)
    assert signed.is_signed_by(files[f"tls/{signer}.crt"])
    assert signed.term.ends == NOW + timedelta(days=365)


def test_the_administrator_may_do_everything() -> None:
    admin = credential(install_files(cluster()), "admin")
    assert set(admin.subject.split(",")) == {"CN=ingot-admin", "O=system:masters"}


def test_hosts_reach_the_config_server_by_every_vip() -> None:
    config = cluster("dual-stack")
    server = credential(install_files(config), "config-server")
    assert server.covers(["192.0.2.5", "2001:db8:0:1::5", "api-int.rack1.example.com"])


def test_ironic_is_reached_on_the_provisioning_network_on_loopback_and_later_in_the_cluster() -> (
    None
):
    server = credential(install_files(cluster()), "ironic")
    assert server.covers(["172.22.0.2", "172.22.0.3", "127.0.0.1", "192.0.2.5"])


def test_without_a_provisioning_network_ironic_is_reached_by_the_vip() -> None:
    assert credential(install_files(cluster("virtualmedia")), "ironic").covers(["192.0.2.5"])


def test_applications_have_a_certificate_for_every_name_below_apps() -> None:
    server = credential(install_files(cluster()), "ingress")
    assert server.names == ("*.apps.rack1.example.com",)


def test_an_authority_of_the_users_own_signs() -> None:
    own = tls.authority("ca", now=NOW)
    signed = tls.admin(own, now=NOW)
    assert Credential(signed["tls/admin.crt"], b"").is_signed_by(own["tls/ca.crt"])


def test_a_broken_authority_is_named_as_such() -> None:
    with pytest.raises(CredentialError):
        tls.admin({"tls/ca.crt": b"rubbish", "tls/ca.key": b"rubbish"}, now=NOW)


def test_the_kubeconfig_holds_all_that_is_needed() -> None:
    files = install_files(cluster())
    said = yaml.safe_load(files["auth/kubeconfig"])
    entry, user = said["clusters"][0]["cluster"], said["users"][0]["user"]
    assert entry["server"] == "https://192.0.2.5:6443"
    assert b64decode(entry["certificate-authority-data"]) == files["tls/ca.crt"]
    shown = x509.load_pem_x509_certificate(b64decode(user["client-certificate-data"]))
    assert shown == credential(files, "admin").parsed
    assert b64decode(user["client-key-data"]) == files["tls/admin.key"]
    context = next(one for one in said["contexts"] if one["name"] == said["current-context"])
    assert context["context"]["cluster"] == said["clusters"][0]["name"]


def test_an_ipv6_vip_is_in_brackets() -> None:
    change = platform_with(apiVIPs=["2001:db8:0:1::5"])
    files = install_files(cluster("dual-stack", change=change))
    assert b"https://[2001:db8:0:1::5]:6443" in files["auth/kubeconfig"]
