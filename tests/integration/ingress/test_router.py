"""What a router does with Ingresses: the real Traefik, told by our manifest."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingot.assets import ingress, tls
from ingot.assets.namespaces import INGRESS
from ingot.onprem.model import Role
from ingot.onprem.monitor import duties
from ingot.onprem.priority import INGRESS_BASE, IngressBonus
from tests.e2e.site import eventually
from tests.integration.ingress.routers import (
    SECONDS,
    VIP,
    Answer,
    Application,
    Router,
    application,
    ask,
    install,
    publish,
    router,
    some_ports,
)
from tests.integration.kubeapi import KubeApi, kube_api
from tests.unit.assets.clusters import cluster, install_files


@dataclass
class Site:
    """A router, the API it watches, and an application."""

    api: KubeApi
    router: Router
    application: Application
    files: dict[str, bytes]
    kubeconfig: Path

    @property
    def authority(self) -> str:
        return self.files["tls/ingress-ca.crt"].decode()

    def http(self, host: str, path: str = "/", *, status: int = 200) -> Answer:
        """Ask by HTTP until there is an answer of this kind."""
        return until(lambda: ask(self.router.ports.http, host, path), status)

    def https(self, host: str, path: str = "/", *, status: int = 200) -> Answer:
        """Ask by HTTPS until there is an answer of this kind.

        An answer by HTTP does not say that there is one by HTTPS yet: a router hears of Ingresses
        and of who is behind them by watches of their own, and takes up one port after the other.
        """
        port = self.router.ports.https
        return until(lambda: ask(port, host, path, trusting=self.authority), status)


def until(asked: Callable[[], Answer], status: int) -> Answer:
    def heard() -> Answer | None:
        answer = asked()
        return answer if answer.status == status else None

    return eventually(heard, within=SECONDS, every=0.05)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("ingress")
    files = install_files(cluster(), now=datetime.now(UTC))
    with kube_api(folder / "api") as api, application() as behind:
        kubeconfig = install(api, files)
        with router(folder / "router", kubeconfig, some_ports()) as started:
            started.until_ready()
            yield Site(api, started, behind, files, kubeconfig)


@pytest.fixture(autouse=True)
def api_is_there(site: Site) -> None:
    site.api.ensure_api()


def test_an_application_answers_under_its_name(site: Site) -> None:
    host = publish(site.api, "shop", site.application)
    assert site.http(host, "/cart").heard["path"] == "/cart"


def test_a_name_that_nobody_has_is_not_found(site: Site) -> None:
    assert ask(site.router.ports.http, "nobody.apps.rack1.example.com").status == 404


def test_the_same_application_answers_by_https_with_the_certificate_of_apps(site: Site) -> None:
    host = publish(site.api, "bank", site.application)
    assert site.https(host).heard["headers"]["X-Forwarded-Proto"] == "https"


def test_a_new_certificate_is_taken_when_its_secret_is_replaced(site: Site) -> None:
    host = publish(site.api, "renewed", site.application)
    site.http(host)
    now = datetime.now(UTC)
    files = dict(tls.authority("ingress-ca", now=now))
    files |= tls.ingress(cluster(), files, now=now)
    place = f"/api/v1/namespaces/{INGRESS}/secrets/{ingress.CERTIFICATE}"
    secret = site.api.request("GET", place)
    was = secret["data"]
    secret["data"] = {
        f"tls.{end}": b64encode(files[f"tls/ingress.{end}"]).decode() for end in ("crt", "key")
    }
    del secret["metadata"]["resourceVersion"]  # type: ignore[attr-defined]
    site.api.request("PUT", place, secret)

    def is_trusted(authority: str) -> bool:
        try:
            ask(site.router.ports.https, host, trusting=authority)
        except ssl.SSLCertVerificationError:
            return False
        return True

    eventually(lambda: is_trusted(files["tls/ingress-ca.crt"].decode()), within=SECONDS)
    site.api.request("PUT", place, {**secret, "data": was})
    eventually(lambda: is_trusted(site.authority), within=SECONDS)


def test_an_ingress_says_that_it_is_reached_by_the_vip(site: Site) -> None:
    publish(site.api, "shown", site.application)
    place = "/apis/networking.k8s.io/v1/namespaces/default/ingresses/shown"

    def shown() -> object:
        return site.api.request("GET", place)["status"] == {
            "loadBalancer": {"ingress": [{"ip": VIP}]}
        }

    eventually(shown, within=SECONDS)


def test_a_pod_that_is_not_ready_is_not_asked(site: Site) -> None:
    host = publish(site.api, "unready", site.application, ready=False)
    assert site.http(host, status=503).status == 503


def test_a_path_is_matched_by_its_elements(site: Site) -> None:
    host = publish(site.api, "paths", site.application, paths=["/shop"])
    assert site.http(host, "/shop/cart").heard["path"] == "/shop/cart"
    assert ask(site.router.ports.http, host, "/shopping").status == 404


def test_nobody_can_claim_to_come_from_elsewhere(site: Site) -> None:
    host = publish(site.api, "forwarded", site.application)
    site.http(host)
    claim = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    heard = ask(site.router.ports.http, host, headers=claim).heard["headers"]
    assert (heard["X-Forwarded-For"], heard["X-Forwarded-Proto"]) == ("127.0.0.1", "http")


def test_an_ingress_may_ask_that_http_leads_to_https(site: Site) -> None:
    wanted = {"traefik.ingress.kubernetes.io/router.middlewares": "https-only@file"}
    host = publish(site.api, "secure", site.application, annotations=wanted)
    assert site.http(host, "/in", status=301).headers["location"] == f"https://{host}/in"
    assert site.https(host, "/in").heard["path"] == "/in"


def test_an_ingress_of_another_class_is_left_alone(site: Site) -> None:
    other = {"kubernetes.io/ingress.class": "another"}
    host = publish(site.api, "other", site.application, annotations=other)
    site.http(publish(site.api, "after-other", site.application))
    assert ask(site.router.ports.http, host).status == 404


def test_applications_answer_while_the_api_is_away(site: Site) -> None:
    host = publish(site.api, "steady", site.application)
    site.http(host)
    site.api.kill_api()
    assert ask(site.router.ports.http, host).status == 200
    assert site.router.status("/healthz/ready") == 200


def test_what_is_made_after_the_api_came_back_is_found(site: Site) -> None:
    site.api.kill_api()
    site.api.start_api()
    assert site.http(publish(site.api, "later", site.application)).status == 200


def test_a_nodes_monitor_finds_the_default_router_ready(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duties, "ROUTER_PORT", site.router.ports.health)
    (tmp_path / f"{INGRESS}_router-default-x7k2p_0a1b").mkdir()
    assert priority(tmp_path) == INGRESS_BASE + sum(IngressBonus)


def test_a_router_that_has_not_heard_of_the_cluster_is_not_ready(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.api.kill_api()
    with router(tmp_path / "router", site.kubeconfig, some_ports()) as started:
        eventually(lambda: started.status("/healthz") == 200, within=SECONDS, every=0.05)
        monkeypatch.setattr(duties, "ROUTER_PORT", started.ports.health)
        assert priority(tmp_path) == INGRESS_BASE + IngressBonus.WORKER
        site.api.start_api()
        started.until_ready()
        assert priority(tmp_path) == INGRESS_BASE + IngressBonus.WORKER + IngressBonus.READY


def test_metrics_are_on_loopback(site: Site) -> None:
    answer = ask(site.router.ports.metrics, "localhost", "/metrics")
    assert b"traefik_entrypoint_requests_total" in answer.body


def priority(pods: Path) -> int:
    """Return what a worker's monitor says of the router on it, once it is sure."""

    async def looked() -> int:
        duty = duties.IngressDuty(Role.WORKER, str(pods / "*_router-default-*"))
        await duty.look()
        return (await duty.look()).priority

    return asyncio.run(looked())
