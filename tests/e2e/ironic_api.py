"""Asking an Ironic that is on the network of a namespace."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from ingot.machine import namespaces
from tests.e2e.site import eventually

HEADERS = {"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "latest"}
ANSWER_SECONDS = 60
READY_SECONDS = 120

Json = Any
"""What JSON can hold."""


@dataclass(frozen=True)
class IronicApi:
    """Where it is, and what it says of itself.

    Attributes:
        namespace: the network that it is on.
        url: its API there.
        log_file: where its words go.
    """

    namespace: str
    url: str
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def ask(self, method: str, path: str, body: object = None) -> Json:
        """Call it; whoever is refused is told why."""
        data = None if body is None else json.dumps(body).encode()
        asked = Request(self.url + path, method=method, data=data, headers=HEADERS)  # noqa: S310 - always http
        opener = build_opener(ProxyHandler({}))

        def call() -> bytes:
            with opener.open(asked, timeout=ANSWER_SECONDS) as answer:
                content: bytes = answer.read()
                return content

        try:
            return json.loads(namespaces.inside(self.namespace, call) or b"null")
        except HTTPError as refused:
            with refused:
                said = refused.read().decode(errors="replace")
            raise AssertionError(
                f"{method} {path}: {refused}: {said}\n{self.log[-3000:]}"
            ) from refused

    def wait_until_ready(self) -> None:
        """Wait until there is someone who would drive a node."""
        try:
            eventually(self._has_drivers, within=READY_SECONDS)
        except TimeoutError as late:
            raise AssertionError(f"Ironic has no drivers:\n{self.log[-3000:]}") from late

    def _has_drivers(self) -> bool:
        try:
            return bool(self.ask("GET", "/v1/drivers")["drivers"])
        except (AssertionError, OSError):  # It listens before it can answer.
            return False
