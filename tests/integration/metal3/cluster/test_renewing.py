"""Certificates of the cluster's own servers, renewed by the controller's account."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from datetime import timedelta

from cryptography import x509

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.metal3.cluster.names import CONFIG_SERVER, INGRESS
from ingot.metal3.cluster.renewing import RenewalRoom, certificate_annotation
from ingot.pki.authority import Authority
from ingot.pki.term import Term
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.cluster.site import APPLICATIONS, Site, account
from tests.unit.assets.clusters import NOW


def test_the_config_servers_certificate_is_renewed_in_time(api: KubeApi, site: Site) -> None:
    def seen() -> tuple[bytes, str]:
        secret = site.get("/api/v1/namespaces/ingot-infra/secrets/ingot-config-server")
        pods = site.get("/apis/apps/v1/namespaces/ingot-infra/daemonsets/ingot-config-server")
        assert secret is not None
        assert pods is not None
        annotations = pods["spec"]["template"]["metadata"]["annotations"]
        return b64decode(secret["data"]["tls.crt"]), annotations["ingot.local/certificate"]

    first = seen()
    look_at(CONFIG_SERVER, api, site, after=timedelta(days=100))
    assert seen() == first
    look_at(CONFIG_SERVER, api, site, after=timedelta(days=250))
    certificate, mark = seen()
    assert certificate != first[0]
    assert mark != first[1]
    assert certificate_annotation(certificate) == {"ingot.local/certificate": mark}


def test_the_certificate_of_applications_is_renewed_in_time(api: KubeApi, site: Site) -> None:
    first = certificate_of_applications(site)
    look_at(INGRESS, api, site, after=timedelta(days=100))
    assert certificate_of_applications(site) == first
    look_at(INGRESS, api, site, after=timedelta(days=250))
    renewed = x509.load_pem_x509_certificate(certificate_of_applications(site))
    before = x509.load_pem_x509_certificate(first)
    assert renewed.not_valid_after_utc > before.not_valid_after_utc
    assert (renewed.subject, renewed.issuer) == (before.subject, before.issuer)


def test_a_certificate_of_a_persons_own_is_left_alone(api: KubeApi, site: Site) -> None:
    term = Term.since(NOW, timedelta(days=30))
    own = Authority.made("somebody's own", term).server("*.apps.example.com", ["*.apps"], term)
    data = {"tls.crt": own.certificate, "tls.key": own.key}
    body = {"data": {name: b64encode(one).decode() for name, one in data.items()}}
    site.patch(APPLICATIONS, body)
    look_at(INGRESS, api, site, after=timedelta(days=250))
    assert certificate_of_applications(site) == own.certificate


def certificate_of_applications(site: Site) -> bytes:
    secret = site.get(APPLICATIONS)
    assert secret is not None
    return b64decode(secret["data"]["tls.crt"])


def look_at(key: ObjectKey, api: KubeApi, site: Site, *, after: timedelta) -> None:
    """Have certificates looked at, as if it were later."""

    async def looked() -> None:
        access = from_kubeconfig(account(api, site))
        async with KubeClient(access, field_manager="test") as client:
            await RenewalRoom(client, clock=lambda: NOW + after).reconcile(key)

    asyncio.run(looked())
