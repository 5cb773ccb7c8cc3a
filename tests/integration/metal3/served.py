"""The kinds of metal3.io on a real API server, asked with what is written by hand."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import ingot.metal3
from ingot.kube.crd.definition import Definition, Scope
from ingot.metal3.api.kinds import DEFINITIONS
from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi

CRDS = Path(ingot.metal3.__file__).parent / "crds"
NAMESPACE = "default"

Json = dict[str, Any]


@dataclass
class Served:
    """An API server that has our definitions.

    Attributes:
        api: the server.
    """

    api: KubeApi
    _connection: http.client.HTTPSConnection = field(init=False)

    def __post_init__(self) -> None:
        context = ssl.create_default_context(cafile=self.api.ca)
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", self.api.port, context=context, timeout=30
        )

    def ask(
        self, method: str, path: str, body: object = None, *, accept: str = "application/json"
    ) -> tuple[int, Json]:
        """Return the code and the content of an answer."""
        headers = {
            "Authorization": f"Bearer {ADMIN_TOKEN}",
            "Accept": accept,
            "Content-Type": "application/merge-patch+json"
            if method == "PATCH"
            else "application/json",
        }
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        found: Json = json.loads(content) if content[:1] == b"{" else {"text": content.decode()}
        return answer.status, found

    def try_to_create(self, raw: Json, query: str = "dryRun=All") -> tuple[int, Json]:
        """Create an object, or only ask whether it would be."""
        return self.ask("POST", f"{path_of(raw)}?{query}", raw)

    def create(self, raw: Json) -> Json:
        """Create an object, and its status too where that is written apart."""
        code, made = self.try_to_create(raw, query="fieldValidation=Strict")
        assert code == 201, made
        if "status" in raw and definition_of(raw).has_status:
            code, made = self.put_status({**made, "status": raw["status"]})
            assert code == 200, made
        return made

    def put_status(self, raw: Json, query: str = "") -> tuple[int, Json]:
        """Write an object's status."""
        return self.ask("PUT", f"{path_of(raw)}/{raw['metadata']['name']}/status{query}", raw)

    def get(self, raw: Json) -> Json:
        """Return an object as it is stored."""
        code, found = self.ask("GET", f"{path_of(raw)}/{raw['metadata']['name']}")
        assert code == 200, found
        return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def manifests() -> list[Json]:
    """Return the definitions as a release has them."""
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(CRDS.iterdir())]


def samples() -> dict[str, Json]:
    """Return one full object of each kind, which the caller may change."""
    return {one["kind"]: one for one in json.loads(_samples())}


@cache
def _samples() -> str:
    # As JSON, so that no part is shared where the file refers to one, and read quickly.
    text = (Path(__file__).parent / "samples.yaml").read_text(encoding="utf-8")
    return json.dumps(yaml.safe_load(text))


def definition_of(raw: Json) -> Definition:
    """Return the definition of an object's kind."""
    return next(one for one in DEFINITIONS if one.kind == raw["kind"])


def path_of(raw: Json) -> str:
    """Return where an object's kind is served."""
    definition = definition_of(raw)
    return definition.path(NAMESPACE if definition.scope is Scope.NAMESPACED else "")
