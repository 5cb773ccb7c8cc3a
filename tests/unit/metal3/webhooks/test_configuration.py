"""What the API server is told of the webhook."""

from __future__ import annotations

import base64

from ingot.metal3.webhooks.configuration import Service, configuration, trusting
from ingot.metal3.webhooks.kinds import JUDGES

SERVICE = Service(namespace="metal3", name="webhook")


def test_it_fails_closed_without_side_effects_within_a_deadline() -> None:
    (webhook,) = configuration(SERVICE, b"ca")["webhooks"]
    assert webhook["failurePolicy"] == "Fail"
    assert webhook["sideEffects"] == "None"
    assert 0 < webhook["timeoutSeconds"] <= 10
    assert webhook["admissionReviewVersions"] == ["v1"]
    assert "namespaceSelector" not in webhook


def test_every_judged_kind_is_asked_about_and_no_status() -> None:
    (webhook,) = configuration(SERVICE, b"ca")["webhooks"]
    by_scope = {rule["scope"]: rule["resources"] for rule in webhook["rules"]}
    assert by_scope["Cluster"] == ["provisionings"]
    assert len(by_scope["Namespaced"]) + 1 == len(JUDGES)
    assert "baremetalhosts" in by_scope["Namespaced"]
    assert not any("/" in one for one in by_scope["Namespaced"])


def test_it_is_reached_by_a_service_or_by_an_address() -> None:
    (inside,) = configuration(SERVICE, b"ca")["webhooks"]
    (outside,) = configuration("https://10.0.0.5:9443", b"ca")["webhooks"]
    assert inside["clientConfig"]["service"] == {
        "namespace": "metal3",
        "name": "webhook",
        "port": 443,
        "path": "/validate",
    }
    assert SERVICE.host == "webhook.metal3.svc"
    assert outside["clientConfig"]["url"] == "https://10.0.0.5:9443/validate"


def test_trust_is_changed_in_the_place_where_it_is() -> None:
    (patch,) = trusting(b"other")
    (webhook,) = configuration(SERVICE, b"ca")["webhooks"]
    assert patch["path"] == "/webhooks/0/clientConfig/caBundle"
    assert base64.b64decode(webhook["clientConfig"]["caBundle"]) == b"ca"
    assert base64.b64decode(patch["value"]) == b"other"
