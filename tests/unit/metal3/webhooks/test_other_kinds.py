"""The rules of the kinds besides BareMetalHost, each once kept to and once broken."""

from __future__ import annotations

import pytest

from ingot.metal3.webhooks.kinds import JUDGES
from tests.unit.metal3.webhooks.objects import (
    Json,
    components,
    data_image,
    provisioning,
    subscription,
)

SUM = "0123456789abcdef" * 4
OS_URL = "provisioningOSDownloadURL"
IP = "spec.provisioningIP"
CIDR = "spec.provisioningNetworkCIDR"
RANGE = "spec.provisioningDHCPRange"
GATEWAY = "spec.provisioningNetworkGateway"
NO_NETWORK = {
    "provisioningNetwork": "Disabled",
    "provisioningIP": None,
    "provisioningNetworkCIDR": None,
    "provisioningDHCPRange": None,
}
SIX = {
    "provisioningIP": "fd00::3",
    "provisioningNetworkCIDR": "fd00::/64",
    "provisioningDHCPRange": "fd00::10,fd00::ff",
}
UNMANAGED = {"provisioningNetwork": "Unmanaged", "provisioningDHCPRange": None}


def headers(namespace: str | None) -> Json:
    reference = {"name": "headers"} | ({"namespace": namespace} if namespace else {})
    return {"httpHeadersRef": reference}


REFUSED: list[tuple[Json, str]] = [
    (subscription({"hostName": ""}), "spec.hostName"),
    (subscription({"destination": ""}), "spec.destination"),
    (subscription({"destination": "https://events"}), "spec.destination"),
    (subscription({"destination": "events/receive"}), "spec.destination"),
    (subscription(headers("other")), "spec.httpHeadersRef.namespace"),
    (subscription(headers(None)), "spec.httpHeadersRef.namespace"),
    (data_image(""), "spec.url"),
    (data_image("data.iso"), "spec.url"),
    (data_image("https://[images/data.iso"), "spec.url"),
    (data_image("https://images:99999/data.iso"), "spec.url"),
    (components("https://firmware/1", "firmware"), "spec.updates[1].url"),
    (provisioning(name="other"), "metadata.name"),
    *(
        (provisioning({OS_URL: url}), f"spec.{OS_URL}")
        for url in (
            f"ftp://images/os.qcow2.gz?sha256={SUM}",
            f"https://images/os.raw?sha256={SUM}",
            "https://images/os.qcow2.gz",
            "https://images/os.qcow2.gz?sha256=abc",
            f"os.qcow2.gz?sha256={SUM}",
            f"https://images/os.qcow2.gz?sha256={SUM}" + "&a=1" * 60,
        )
    ),
    (provisioning({"provisioningIP": "172.22.0.300"}), IP),
    (provisioning({"provisioningIP": None}), IP),
    (provisioning({"provisioningIP": "172.23.0.3"}), IP),
    (provisioning({"provisioningIP": "fd00::3"}), IP),
    (provisioning({**UNMANAGED, "provisioningIP": "172.23.0.3"}), IP),
    (provisioning({**NO_NETWORK, "provisioningIP": "here"}), IP),
    (provisioning({**NO_NETWORK, "provisioningNetworkCIDR": "172.22.0.0/24"}), IP),
    (provisioning({**UNMANAGED, "provisioningNetworkCIDR": "172.22.0.0"}), CIDR),
    (provisioning({"provisioningIP": "172.22.0.10"}), IP),
    (provisioning({**SIX, "provisioningNetworkCIDR": "fd00::/63"}), CIDR),
    (provisioning({"provisioningDHCPRange": None}), RANGE),
    (provisioning({"provisioningDHCPRange": "172.22.0.10"}), RANGE),
    (provisioning({"provisioningDHCPRange": "172.22.0.10,fd00::1"}), RANGE),
    (provisioning({"provisioningDHCPRange": "172.22.0.100,172.22.0.10"}), RANGE),
    (provisioning({"provisioningDHCPRange": "172.22.0.10,172.22.1.10"}), RANGE),
    *(
        (provisioning({"provisioningNetworkGateway": gateway}), GATEWAY)
        for gateway in ("x", "172.9.0.1", "172.22.0.3", "172.22.0.0", "172.22.0.255", "172.22.0.50")
    ),
    (provisioning({**UNMANAGED, "provisioningNetworkGateway": "172.22.0.1"}), GATEWAY),
    (
        provisioning({"prometheusExporter": {"enabled": True, "sensorCollectionInterval": 59}}),
        "spec.prometheusExporter.sensorCollectionInterval",
    ),
]  # fmt: skip

ACCEPTED: list[Json] = [
    subscription(),
    subscription(headers("metal3")),
    data_image("https://images/data.iso"),
    components(),
    components("https://firmware/1", "http://firmware/2"),
    provisioning(),
    provisioning(SIX),
    provisioning(NO_NETWORK),
    provisioning({**NO_NETWORK, "provisioningIP": "192.168.0.3"}),
    provisioning(UNMANAGED),
    provisioning({**UNMANAGED, "provisioningNetwork": None, "provisioningDHCPExternal": True}),
    provisioning({"provisioningNetworkGateway": "172.22.0.1"}),
    provisioning({OS_URL: f"https://images/os.qcow2.xz?sha256={SUM}"}),
]


@pytest.mark.parametrize(("new", "field"), REFUSED)
def test_an_object_that_breaks_a_rule_is_refused_by_its_field(new: Json, field: str) -> None:
    verdict = JUDGES[new["kind"]].validate_create(new)
    assert [one.field for one in verdict.refusals] == [field]


@pytest.mark.parametrize("new", ACCEPTED)
def test_an_object_that_keeps_to_the_rules_is_accepted(new: Json) -> None:
    assert JUDGES[new["kind"]].validate_create(new).refusals == ()


def test_a_subscription_cannot_be_changed() -> None:
    old, new = subscription(), subscription({"context": "other"})
    (refusal,) = JUDGES["BMCEventSubscription"].validate_update(old, new).refusals
    assert refusal.field == "spec"


def test_a_subscription_with_headers_gets_its_finalizer() -> None:
    old, new = subscription(headers("metal3")), subscription(headers("metal3"))
    new["metadata"]["finalizers"] = ["bmceventsubscription.metal3.io"]
    assert JUDGES["BMCEventSubscription"].validate_update(old, new).accepts


def test_the_old_word_for_unmanaged_is_told() -> None:
    new = provisioning({"provisioningNetwork": "Unmanaged", "provisioningDHCPExternal": True})
    (warning,) = JUDGES["Provisioning"].validate_create(new).warnings
    assert warning.field == "spec.provisioningDHCPExternal"
