"""The Kubernetes API of a site: our definitions, the hosts, and who asked how often for what."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.kinds import definition_of
from tests.integration.kubeapi import kube_api
from tests.integration.metal3.served import NAMESPACE, Json, Served, manifests
from tests.operator_site.process import cpu_seconds

HOSTS: Final = definition_of(BareMetalHost).path(NAMESPACE)
SECRETS: Final = f"/api/v1/namespaces/{NAMESPACE}/secrets"
LEASES: Final = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
LEASE: Final = "baremetal-operator"
IDLE_SECONDS: Final = 15.0

_TOTAL: Final = re.compile(
    r"^apiserver_request_total\{(?P<labels>.*)\} (?P<value>\S+)$", re.MULTILINE
)
_LABEL: Final = re.compile(r'(\w+)="([^"]*)"')
_OWN_AFFAIRS: Final = frozenset(
    {"", "apiservices", "endpoints", "endpointslices", "flowschemas", "services"}
    | {"ipaddresses", "prioritylevelconfigurations", "servicecidrs"}
)
"""What the API server asks itself for."""


@dataclass
class Cluster(Served):
    """An API server that has our definitions, and counts."""

    _used: float = field(default_factory=time.monotonic)

    def ask(
        self, method: str, path: str, body: object = None, *, accept: str = "application/json"
    ) -> tuple[int, Json]:
        """Return the code and the content of an answer.

        The server closes what nobody has used for a while, so that is not used again.
        """
        now = time.monotonic()
        if now - self._used > IDLE_SECONDS:
            self.close()
        self._used = now
        return super().ask(method, path, body, accept=accept)

    def create(self, raw: Json) -> Json:
        """Create a host or a Secret."""
        path = SECRETS if raw["kind"] == "Secret" else HOSTS
        code, made = self.ask("POST", path, raw)
        assert code == 201, made
        return made

    def patch_host(self, name: str, change: Json) -> None:
        """Merge a change into a host."""
        code, answer = self.ask("PATCH", f"{HOSTS}/{name}", change)
        assert code == 200, answer

    def delete_host(self, name: str) -> None:
        """Ask for a host to be removed."""
        code, answer = self.ask("DELETE", f"{HOSTS}/{name}")
        assert code in (200, 202), answer

    @property
    def cpu_seconds(self) -> float:
        """What the API server and its store have used."""
        running = self.api._running  # noqa: SLF001 - it tells nobody else
        return sum(cpu_seconds(process.pid) for process in running.values())

    def leader(self) -> str:
        """Return who holds the operator's lease; "" for nobody."""
        code, lease = self.ask("GET", f"{LEASES}/{LEASE}")
        return str(lease["spec"].get("holderIdentity") or "") if code == 200 else ""

    def requests(self) -> Counter[str]:
        """Return how often everybody together asked for what, by verb and resource.

        A watch counts when it ends.
        """
        _, answer = self.ask("GET", "/metrics")
        found: Counter[str] = Counter()
        for line in _TOTAL.finditer(answer["text"]):
            labels = dict(_LABEL.findall(line["labels"]))
            if labels.get("resource", "") not in _OWN_AFFAIRS:
                resource = "/".join(filter(None, (labels["resource"], labels["subresource"])))
                found[f"{labels['verb']} {resource}"] += int(float(line["value"]))
        return found


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Run an API server with our definitions until the end of the block."""
    with kube_api(folder) as api:
        for definition in manifests():
            api.install(definition)
        made = Cluster(api)
        try:
            yield made
        finally:
            made.close()
