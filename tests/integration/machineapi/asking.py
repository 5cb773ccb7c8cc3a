"""Asking the API server for a certificate in somebody's name."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections.abc import Sequence
from itertools import count

from ingot.machineapi.approving.request import CLIENT_SIGNER, REQUESTS, SERVING_SIGNER
from tests.integration.kubeapi import ADMIN_TOKEN, KubeApi
from tests.unit.machineapi.approving.asking import CLIENT_USAGES, SERVER_USAGES

_NUMBERS = count()


def asked(
    api: KubeApi, user: str, groups: Sequence[str], pem: bytes, *, signer: str = CLIENT_SIGNER
) -> str:
    """Ask as somebody else; return what the request is called."""
    name = f"csr-{next(_NUMBERS)}"
    usages = SERVER_USAGES if signer == SERVING_SIGNER else CLIENT_USAGES
    spec = {
        "signerName": signer,
        "request": base64.b64encode(pem).decode(),
        "usages": list(usages),
    }
    content = json.dumps(
        {
            "apiVersion": REQUESTS.api_version,
            "kind": REQUESTS.kind,
            "metadata": {"name": name},
            "spec": spec,
        }
    ).encode()
    context = ssl.create_default_context(cafile=api.ca)
    connection = http.client.HTTPSConnection("127.0.0.1", api.port, context=context, timeout=30)
    connection.putrequest("POST", REQUESTS.path())
    for header, value in (
        ("Authorization", f"Bearer {ADMIN_TOKEN}"),
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(content))),
        ("Impersonate-User", user),
        *(("Impersonate-Group", group) for group in (*groups, "system:authenticated")),
    ):
        connection.putheader(header, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    assert answer.status == http.client.CREATED, said
    return name
