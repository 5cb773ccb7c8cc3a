"""A config server as units and pods run it: its own process, real TLS, a real API behind it."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from ingot.configserver.ignition import Config, file_in
from ingot.configserver.joinfile import PATH, JoinFacts
from ingot.configserver.roster import digest
from ingot.pki.authority import Authority
from ingot.pki.term import Term
from tests.e2e.configs import config, file
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi, free_port

LOOPBACK = "127.0.0.1"
INGOT_NODE = Path(sys.executable).parent / "ingot-node"
ROLE_FILE = "/etc/of-the-role"
_numbers = count()


@dataclass(frozen=True)
class Reply:
    """What was answered."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def config(self) -> Config:
        found: Config = json.loads(self.content)
        return found

    @property
    def facts(self) -> JoinFacts:
        return JoinFacts.parse(file_in(self.config, PATH) or "")


@dataclass(frozen=True)
class Office:
    """A running config server.

    Attributes:
        control_plane: the name of a host of that role, of which the API knows nothing yet.
        worker: likewise.
    """

    folder: Path
    port: int
    log: Path
    control_plane: str
    worker: str

    @property
    def url(self) -> str:
        return f"https://{LOOPBACK}:{self.port}"

    @property
    def authority(self) -> Path:
        return self.folder / "ca.crt"

    def ask(
        self,
        path: str,
        token: str | None = None,
        *,
        method: str = "GET",
        body: str | None = None,
        host: str | None = None,
    ) -> Reply:
        context = ssl.create_default_context(cafile=self.authority)
        connection = http.client.HTTPSConnection(LOOPBACK, self.port, timeout=30, context=context)
        try:
            said = {"X-Ingot-Token": token, "X-Ingot-Host": host}
            headers = {name: value for name, value in said.items() if value is not None}
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def answers(self) -> bool:
        try:
            return self.ask("/healthz").status == 200
        except OSError:
            return False


def token_of(name: str) -> str:
    return f"token-of-{name}"


def list_hosts(folder: Path, hosts: Mapping[str, str]) -> None:
    """Write who may ask, whole at every moment."""
    listed = [
        {"name": name, "role": role, "tokenSha256": digest(token_of(name))}
        for name, role in hosts.items()
    ]
    fresh = folder / "hosts.json.new"
    fresh.write_text(json.dumps({"hosts": listed}), encoding="utf-8")
    fresh.replace(folder / "hosts.json")


@contextmanager
def running(api: KubeApi, home: Path) -> Iterator[Office]:
    """Run a config server until the end of the block."""
    folder = home / "configserver"
    folder.mkdir()
    authority = Authority.made("config-server", Term.since(datetime.now(UTC), timedelta(days=2)))
    own = authority.server(
        "config-server", [LOOPBACK], Term.since(datetime.now(UTC), timedelta(days=1))
    )
    (folder / "ca.crt").write_bytes(authority.certificate)
    (folder / "tls.crt").write_bytes(own.certificate)
    (folder / "tls.key").write_bytes(own.key)
    number = next(_numbers)
    hosts = {f"cp-{number}": "control-plane", f"worker-{number}": "worker"}
    list_hosts(folder, hosts)
    for role in ("control-plane", "worker"):
        common = config(storage={"files": [file(ROLE_FILE, role)]})
        (folder / f"{role}.ign").write_text(json.dumps(common), encoding="utf-8")
    office = Office(folder, free_port(), home / "log", *hosts)
    environment = {
        "PATH": os.environ["PATH"],
        "INGOT_CONFIG_FOLDER": str(folder),
        "INGOT_CONFIG_ADDRESS": LOOPBACK,
        "INGOT_CONFIG_PORT": str(office.port),
        "INGOT_API_SERVER": "https://192.0.2.5:6443",
        "INGOT_VIPS": "192.0.2.5",
        "INGOT_CLUSTER_CA": str(api.ca),
        "KUBECONFIG": str(api.kubeconfig()),
        "INGOT_LOG_LEVEL": "debug",
    }
    with office.log.open("wb") as log:
        process = subprocess.Popen([INGOT_NODE, "configserver"], env=environment, stderr=log)
    try:
        eventually(office.answers, within=60, every=0.05)
        yield office
    finally:
        process.terminate()
        assert process.wait(30) == 0, office.logged()
