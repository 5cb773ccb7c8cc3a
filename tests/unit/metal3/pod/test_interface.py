"""The card on the provisioning network is found by its name, its MAC, or its address."""

from __future__ import annotations

import json

import pytest

from ingot.metal3.pod.interface import NoInterfaceError, await_interface, found
from tests.unit.metal3.pod.told import DISABLED, UNMANAGED, settings

MAC = "52:54:00:00:00:aa"
LINKS = json.dumps(
    [
        {"ifname": "lo", "address": "00:00:00:00:00:00", "addr_info": [{"local": "127.0.0.1"}]},
        {
            "ifname": "ens3",
            "address": "52:54:00:00:00:01",
            "addr_info": [{"local": "10.0.0.2", "prefixlen": 24}],
        },
        {"ifname": "ens4", "address": MAC.upper(), "addr_info": []},
        {"ifname": "ens5", "address": "52:54:00:00:00:05", "addr_info": [{"local": "fd00::2"}]},
    ]
)
BONDED = json.dumps(
    [
        {"ifname": "ens4", "address": MAC, "master": "bond0", "addr_info": []},
        {"ifname": "bond0", "address": MAC, "addr_info": [{"local": "10.0.0.2"}]},
    ]
)
BY_ADDRESS = {"interfaceMac": None, "provisioningIp": "10.0.0.2"}
KEPT = {"interfaceMac": None, "provisioningIp": "10.0.0.9", "keptIn": "10.0.0.0/24"}


@pytest.mark.parametrize(
    ("links", "said", "name"),
    [
        (LINKS, {"interfaceMac": MAC}, "ens4"),
        (LINKS, {"interfaceMac": "52:54:00:00:00:ff"}, None),
        (LINKS, {"interfaceMacs": ["52:54:00:00:00:ff", MAC]}, "ens4"),
        (LINKS, {"interface": "ens5", "interfaceMac": MAC}, "ens5"),
        (LINKS, {"interface": "ens9"}, None),
        (LINKS, BY_ADDRESS, "ens3"),
        (LINKS, {"provisioningIp": "fd00:0::2"}, "ens5"),
        (LINKS, {"provisioningIp": "10.0.0.3"}, None),
        (LINKS, KEPT, "ens3"),
        (LINKS, {**KEPT, "keptIn": "10.0.0.9/32"}, "ens3"),
        (LINKS, {**KEPT, "provisioningIp": "10.1.0.9", "keptIn": "10.1.0.0/24"}, None),
        (BONDED, {"interfaceMac": MAC}, "bond0"),
    ],
)
def test_a_card_is_found(links: str, said: dict[str, object], name: str | None) -> None:
    assert found(links, settings(UNMANAGED, **said)) == name


def test_a_card_that_comes_late_is_waited_for() -> None:
    answers = iter(["[]", LINKS])
    told = settings(UNMANAGED, provisioningIp="10.0.0.2")
    assert await_interface(told, look=lambda: next(answers)) == "ens3"


def test_no_card_is_looked_for_without_a_network() -> None:
    assert await_interface(settings(DISABLED), look=lambda: pytest.fail("looked")) == ""


def test_a_card_that_never_comes_is_named() -> None:
    with pytest.raises(NoInterfaceError, match=MAC):
        await_interface(settings(), look=lambda: "[]", within=0)
