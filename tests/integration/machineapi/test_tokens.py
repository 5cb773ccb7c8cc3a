"""A host's bootstrap token, used at a real API server: what it writes down of who asked."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingot.configserver.bootstraptoken import Token
from ingot.kube.joiners import host_in
from ingot.kube.object import KubeObject
from ingot.machineapi.approving.access import joiners_rights
from ingot.machineapi.approving.request import CLIENT_SIGNER, REQUESTS, Request
from tests.integration.kubeapi import (
    TOKENS,
    KubeApi,
    binaries,
    free_port,
    make_certificate,
)
from tests.unit.machineapi.approving.asking import CLIENT_USAGES, csr

HOST = "worker-0.rack-1"


class WithTokens(KubeApi):
    """An API server that takes bootstrap tokens, as kubeadm's does."""

    def _start(self, program: str, *arguments: str) -> None:
        more = ("--enable-bootstrap-token-auth",) if program == "kube-apiserver" else ()
        super()._start(program, *arguments, *more)


@pytest.fixture
def api(tmp_path: Path) -> Iterator[KubeApi]:
    make_certificate(tmp_path)
    (tmp_path / "tokens.csv").write_text(TOKENS, encoding="utf-8")
    started = WithTokens(tmp_path, binaries(), free_port(), free_port())
    try:
        started.start_etcd()
        started.start_api()
        yield started
    finally:
        started.end()


def test_who_uses_a_hosts_token_may_ask_and_is_known_as_that_host(api: KubeApi) -> None:
    for one in joiners_rights():
        inside = one["metadata"].get("namespace", "")
        root = "/apis/rbac.authorization.k8s.io/v1" + (f"/namespaces/{inside}" if inside else "")
        api.request("POST", f"{root}/{one['kind'].lower()}s", one)
    token = Token.fresh(HOST, now=datetime.now(UTC))
    api.request("POST", "/api/v1/namespaces/kube-system/secrets", token.manifest())
    request = Request.of(KubeObject(REQUESTS, _asked(api, token.spelled())))
    assert request.user == f"system:bootstrap:{token.number}"
    assert host_in(request.groups) == HOST


def _asked(api: KubeApi, token: str) -> bytes:
    """Ask for a certificate with a token; return the request as it is stored."""
    spec = {
        "signerName": CLIENT_SIGNER,
        "request": base64.b64encode(csr(f"system:node:{HOST}")).decode(),
        "usages": list(CLIENT_USAGES),
    }
    body = {
        "apiVersion": REQUESTS.api_version,
        "kind": REQUESTS.kind,
        "metadata": {"generateName": "node-csr-"},
        "spec": spec,
    }
    context = ssl.create_default_context(cafile=api.ca)
    connection = http.client.HTTPSConnection("127.0.0.1", api.port, context=context, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", REQUESTS.path(), json.dumps(body), headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status == http.client.CREATED, content
    return content
