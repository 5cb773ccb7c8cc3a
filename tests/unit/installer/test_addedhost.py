"""What becomes of servers that were added to a cluster, when it is destroyed."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ingot.config.model import BootMode
from ingot.installer.addedhost import OWN_NETWORK, added_host
from ingot.metal3.api.annotation import DETACHED

BMC = {"address": "redfish+http://[2001:db8::5]:8000/redfish/v1/Systems/1", "credentialsName": "c"}
SECRET = {"username": "YWRtaW4=", "password": base64.b64encode("pässword".encode()).decode()}
CONSUMER = {"kind": "Machine", "name": "m"}


def host(**spec: object) -> dict[str, Any]:
    return {
        "metadata": {"name": "late", "namespace": "metal3"},
        "spec": {"online": True, "bmc": BMC, **spec},
    }


def test_it_is_reached_as_the_cluster_reached_it() -> None:
    said = added_host(host(bootMACAddress="52:54:00:00:00:01", bootMode="legacy"), SECRET).host
    assert said is not None
    assert said.bmc.address is not None
    assert said.bmc.username is not None
    assert said.bmc.password is not None
    assert said.bmc.address.normalized == BMC["address"]
    assert (said.bmc.username.reveal(), said.bmc.password.reveal()) == ("admin", "pässword")
    assert (said.name, said.boot_mac_address) == ("late", "52:54:00:00:00:01")
    assert said.boot_mode is BootMode.LEGACY


@pytest.mark.parametrize(
    "content",
    [
        host(externallyProvisioned=True),
        {**host(), "metadata": {"name": "late", "annotations": {DETACHED: ""}}},
        {"metadata": {"name": "late"}, "spec": {"online": True}},
    ],
    ids=["installed by somebody else", "detached", "without a BMC"],
)
def test_it_is_spared_where_it_is_not_the_clusters(content: dict[str, Any]) -> None:
    judged = added_host(content, SECRET)
    assert judged.host is None
    assert judged.spared
    assert not judged.failed


def test_a_node_of_the_cluster_goes_though_it_was_detached() -> None:
    detached = {"name": "late", "annotations": {DETACHED: ""}}
    judged = added_host({**host(consumerRef=CONSUMER), "metadata": detached}, SECRET)
    assert judged.host is not None


@pytest.mark.parametrize(
    ("secret", "bmc", "said"),
    [
        (None, BMC, "no Secret c"),
        ({"username": "YWRtaW4="}, BMC, "no Secret c"),
        ({**SECRET, "password": "%"}, BMC, "no Secret c"),
        (SECRET, {**BMC, "address": "telnet://1.2.3.4"}, "the address of its BMC"),
    ],
    ids=["no secret", "half a secret", "no base64", "bad address"],
)
def test_what_is_wrong_with_it_is_said_without_its_secrets(
    secret: dict[str, str] | None, bmc: dict[str, str], said: str
) -> None:
    judged = added_host(host(bmc=bmc), secret)
    assert judged.host is None
    assert said in judged.failed
    assert "pässword" not in repr(judged)


def test_its_disks_are_not_wiped_where_its_network_cannot_be_told() -> None:
    judged = added_host(host(preprovisioningNetworkDataName="net"), SECRET)
    assert judged.host is not None
    assert judged.unwipeable == OWN_NETWORK
