"""Real routers beside a real Kubernetes API, with the rights that their manifest gives them."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import yaml

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.assets import ingress, namespaces, traefik
from ingot.assets.namespaces import INGRESS
from ingot.assets.routerpod import NAME
from ingot.payload.binaries import traefik as traefik_binary
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi
from tests.integration.kubeplaces import create
from tests.ports import free_port

VIP = "192.0.2.6"
SECONDS = 60.0
"""Far more than anything here takes, for a machine with other things to do."""


@dataclass(frozen=True)
class Answer:
    """What somebody heard who asked a router."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def heard(self) -> dict[str, Any]:
        """What the application was asked."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def ask(
    port: int,
    host: str,
    path: str = "/",
    *,
    trusting: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Ask a router on loopback, by HTTPS if there is an authority to trust."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    plain = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    if trusting is None:
        connection.sock = plain
    else:
        context = ssl.create_default_context(cadata=trusting)
        connection.sock = context.wrap_socket(plain, server_hostname=host)
    try:
        connection.request("GET", path, headers={"Host": host, **(headers or {})})
        answer = connection.getresponse()
        shown = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, shown, answer.read())
    finally:
        connection.close()


@dataclass
class Application:
    """A web server that says what it was asked; below `/slow` it takes its time."""

    server: ThreadingHTTPServer
    asked_slowly: Event = field(default_factory=Event)
    may_end: Event = field(default_factory=Event)

    @property
    def address(self) -> str:
        return str(self.server.server_address[0])

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])


@contextmanager
def application() -> Iterator[Application]:
    """Run one until the end of the block, not on loopback: Kubernetes takes no pod for there."""

    class Saying(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/slow"):
                made.asked_slowly.set()
                made.may_end.wait(SECONDS)
            body = json.dumps({"path": self.path, "headers": dict(self.headers)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            del words

    made = Application(ThreadingHTTPServer((own_address(), 0), Saying))
    serving = Thread(target=made.server.serve_forever, daemon=True)
    serving.start()
    try:
        yield made
    finally:
        made.may_end.set()
        made.server.shutdown()
        made.server.server_close()
        serving.join(SECONDS)


def own_address() -> str:
    """Return the address by which this machine is known to others."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        trial.connect((VIP, 9))
        return str(trial.getsockname()[0])


@dataclass
class Router:
    """A running Traefik."""

    process: subprocess.Popen[bytes]
    ports: traefik.Ports
    log: Path

    def status(self, path: str) -> int | None:
        """Return what its health says, or None where nothing is said."""
        try:
            return ask(self.ports.health, "localhost", path).status
        except OSError:
            return None

    def until_ready(self) -> None:
        """Wait until it knows the cluster's routes."""
        eventually(self._is_ready, within=SECONDS, every=0.05)

    def _is_ready(self) -> bool:
        said = self.log.read_text(errors="replace")[-3000:]
        assert self.process.poll() is None, f"Traefik ended:\n{said}"
        return self.status("/healthz/ready") == 200


@contextmanager
def router(
    folder: Path, kubeconfig: Path, ports: traefik.Ports, *, accept: int = traefik.ACCEPT_SECONDS
) -> Iterator[Router]:
    """Run a Traefik until the end of the block, as its pod does.

    Args:
        folder: for what it reads and says.
        kubeconfig: how it reaches the API, and as whom.
        ports: where it listens.
        accept: for how many seconds it takes connections once it is told to end.
    """
    folder.mkdir(parents=True)
    settings = folder / "dynamic.yaml"
    settings.write_text(traefik.dynamic_yaml(), encoding="utf-8")
    told = "requestAcceptGraceTimeout="
    arguments = [
        one.partition(told)[0] + f"{told}{accept}s" if told in one else one
        for one in traefik.arguments(VIP, str(settings), ports)
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={"KUBECONFIG": str(kubeconfig), "GOMAXPROCS": "2"},
        )
    try:
        yield Router(process, ports, folder / "log")
    finally:
        process.kill()
        process.wait(SECONDS)


def some_ports() -> traefik.Ports:
    """Return ports that nobody listens at."""
    return traefik.Ports(
        http=free_port(), https=free_port(), health=free_port(), metrics=free_port()
    )


@cache
def program() -> Path:
    """Return where Traefik is, built if it is not there."""
    (made,) = make(Store(), [traefik_binary()], Silent())
    return made.artefact.path / "traefik"


def install(api: KubeApi, files: Mapping[str, bytes]) -> Path:
    """Apply the manifests, and return a kubeconfig of the routers' own account."""
    for path in (namespaces.PATH, ingress.PATH, ingress.CERTIFICATE_PATH):
        for one in yaml.safe_load_all(files[path]):
            create(api, one)
    account = f"/api/v1/namespaces/{INGRESS}/serviceaccounts/{NAME}/token"
    answer: dict[str, Any] = api.request(
        "POST",
        account,
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
    )
    said = yaml.safe_load(api.kubeconfig().read_text(encoding="utf-8"))
    said["users"][0]["user"] = {"token": answer["status"]["token"]}
    written = api.folder / "kubeconfig-router"
    written.write_text(json.dumps(said), encoding="utf-8")
    return written


def publish(
    api: KubeApi,
    name: str,
    behind: Application,
    *,
    paths: Sequence[str] = ("/",),
    ready: bool = True,
    annotations: Mapping[str, str] | None = None,
) -> str:
    """Make an application known as a user does, and return its host name."""
    host = f"{name}.apps.rack1.example.com"
    metadata = {"name": name, "namespace": "default"}
    create(
        api,
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"ports": [{"name": "http", "port": 80}]},
        },
    )
    create(
        api,
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {**metadata, "labels": {"kubernetes.io/service-name": name}},
            "addressType": "IPv4",
            "endpoints": [
                {
                    "addresses": [behind.address],
                    "conditions": {"ready": ready, "serving": ready, "terminating": False},
                }
            ],
            "ports": [{"name": "http", "port": behind.port, "protocol": "TCP"}],
        },
    )
    backend = {"service": {"name": name, "port": {"name": "http"}}}
    rules = [{"path": path, "pathType": "Prefix", "backend": backend} for path in paths]
    create(
        api,
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": {**metadata, "annotations": dict(annotations or {})},
            "spec": {"rules": [{"host": host, "http": {"paths": rules}}]},
        },
    )
    return host
