"""The servers behave as they are told, and clients and watches see it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import eventually
from tests.onprem_site.availability import asking, failures, gaps, servers
from tests.onprem_site.certificates import Certificate
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.servers import Server, api_server, config_server, router, start
from tests.onprem_site.service import Mode
from tests.onprem_site.site import Site, opened_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with opened_site(folder, Plan(control=1, workers=0, bootstrap=False)) as opened:
        yield opened


@pytest.fixture(scope="module")
def certificate(site: Site) -> Certificate:
    return Certificate.made(site.folder, site["control-0"].seat.addresses, "api.one.test")


@pytest.fixture
def nodes(tmp_path: Path) -> NodeStore:
    return NodeStore.made(tmp_path / "nodes.json")


@pytest.fixture
def api(site: Site, nodes: NodeStore, certificate: Certificate) -> Iterator[Server]:
    server = api_server(site["control-0"], nodes, certificate)
    server.start()
    yield server
    server.kill()


def status(site: Site, url: str, *flags: str) -> str:
    """Return the status of an answer; 000 for none."""
    words = f"curl -s -o /dev/null -w '%{{http_code}}' -m 1 {' '.join(flags)} '{url}' || true"
    return site.client.run("sh", "-c", words)


def url(site: Site, path: str, *, port: int = 6443, scheme: str = "https") -> str:
    return f"{scheme}://{site['control-0'].seat.address}:{port}{path}"


@pytest.mark.parametrize(
    ("mode", "readyz", "livez", "version"),
    [
        (Mode.READY, "200", "200", "200"),
        (Mode.UNREADY, "500", "200", "200"),
        (Mode.SICK, "500", "500", "200"),
        (Mode.HANG, "000", "000", "000"),
        (Mode.REFUSE, "000", "000", "000"),
    ],
)
def test_an_api_server_is_as_well_as_it_is_told(
    site: Site, api: Server, mode: Mode, readyz: str, livez: str, version: str
) -> None:
    api.become(mode)
    said = [status(site, url(site, path), "-k") for path in ("/readyz", "/livez", "/version")]
    assert said == [readyz, livez, version]
    api.become(Mode.READY)
    assert status(site, url(site, "/readyz"), "-k") == "200"


def test_an_api_server_does_tls_and_plain_http_on_its_port(
    site: Site, api: Server, certificate: Certificate
) -> None:
    ca = ("--cacert", str(certificate.certificate))
    assert status(site, url(site, "/version"), *ca) == "200"
    assert status(site, url(site, "/version", scheme="http")) == "200"
    assert api.connections == 0


def test_a_config_server_and_a_router_tell_how_they_are(
    site: Site, certificate: Certificate
) -> None:
    node = site["control-0"]
    config, ingress = config_server(node, certificate), router(node, certificate)
    start(config, ingress)
    assert status(site, url(site, "/healthz", port=22623), "-k") == "200"
    assert status(site, url(site, "/config/worker", port=22623), "-k") == "200"
    ready, alive = (
        url(site, path, port=1936, scheme="http") for path in ("/healthz/ready", "/healthz")
    )
    ingress.become(Mode.UNREADY)
    assert (status(site, ready), status(site, alive)) == ("500", "200")
    assert status(site, url(site, "/", port=443), "-k") == "200"
    assert status(site, url(site, "/", port=80, scheme="http")) == "200"
    config.kill()
    ingress.kill()


def test_nodes_are_listed_and_watched(site: Site, api: Server, nodes: NodeStore) -> None:
    assert api.running.is_running
    seats = [site.plan.all_clusters[0].seat(Role.CONTROL, index) for index in range(2)]
    nodes.join(seats[0])
    listed = json.loads(site.client.run("curl", "-sk", url(site, "/api/v1/nodes")))
    assert [node["metadata"]["name"] for node in listed["items"]] == ["control-0"]
    version = listed["metadata"]["resourceVersion"]
    query = f"?watch=true&allowWatchBookmarks=true&resourceVersion={version}"
    watch = site.client.start("curl", "-skN", url(site, f"/api/v1/nodes{query}"), talking=True)
    nodes.join(seats[1])
    assert event(watch.line(within=10)) == ("ADDED", "control-1")
    nodes.put("control-1", seats[1].addresses, {}, ready=False)
    assert event(watch.line(within=10)) == ("MODIFIED", "control-1")
    nodes.delete("control-1")
    assert event(watch.line(within=10)) == ("DELETED", "control-1")
    assert event(watch.line(within=10)) == ("BOOKMARK", "")
    watch.kill()
    eventually(lambda: api.connections == 0, within=10, every=0.05)


def event(line: str) -> tuple[str, str]:
    told = json.loads(line)
    return told["type"], told["object"]["metadata"]["name"]


def test_a_long_connection_goes_on_until_its_server_dies(site: Site, api: Server) -> None:
    ticks = site.client.start("curl", "-skN", url(site, "/ticks"), talking=True)
    assert json.loads(ticks.line(within=10)) == {"tick": 0, "server": "control-0"}
    api.become(Mode.UNREADY)
    assert json.loads(ticks.line(within=10))["tick"] == 1
    api.become(Mode.REFUSE)
    ticks.wait()


def test_a_client_sees_who_serves_and_for_how_long_nobody_does(site: Site, api: Server) -> None:
    with asking(site.client, site["control-0"].seat.address, 6443) as client:
        client.wait_for("control-0", within=10)
        begun = time.monotonic()
        api.blip(Mode.REFUSE, 0.5)
        eventually(lambda: failures(client.since(begun)), within=10, every=0.01)
        client.wait_for("control-0", within=10)
    assert set(servers(client.asked)) == {"control-0"}
    longest = max(gap.seconds for gap in gaps(client.asked, beyond=0.1))
    assert 0.4 < longest < 1.5
