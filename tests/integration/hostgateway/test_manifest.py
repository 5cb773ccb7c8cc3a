"""The manifest, as a real API server takes it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ingot.hostgateway.manifest import NAME, NAMESPACE
from tests.integration.hostgateway.conftest import Installed

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="as the others here")


@pytest.mark.parametrize(
    ("verb", "resource", "allowed"),
    [
        ("watch", "nodes", True),
        ("create", "events", True),
        ("patch", "nodes", False),
        ("list", "secrets", False),
        ("list", "pods", False),
    ],
)
def test_its_account_may_do_what_it_has_to_and_no_more(
    installed: Installed, verb: str, resource: str, *, allowed: bool
) -> None:
    asked = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{NAMESPACE}:{NAME}",
            "resourceAttributes": {"verb": verb, "resource": resource, "namespace": "default"},
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    answer: dict[str, Any] = installed.api.request("POST", path, asked)
    assert answer["status"]["allowed"] is allowed


def test_the_server_changes_nothing_that_was_said(installed: Installed) -> None:
    pod = installed.objects["DaemonSet"]["spec"]["template"]["spec"]
    assert pod["hostNetwork"] is True
    assert pod["containers"][0]["livenessProbe"]["httpGet"]["host"] == "127.0.0.1"
    strategy = installed.objects["DaemonSet"]["spec"]["updateStrategy"]
    assert strategy == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "34%"},
    }
