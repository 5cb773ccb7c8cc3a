"""The card on the provisioning network is found by its MAC, or by its address."""

from __future__ import annotations

import json
from ipaddress import ip_address

import pytest

from ingot.metal3.pod.interface import NoInterfaceError, await_interface, found
from tests.unit.metal3.pod.told import DISABLED, UNMANAGED, settings

MAC = "52:54:00:00:00:aa"
LINKS = json.dumps(
    [
        {"ifname": "lo", "address": "00:00:00:00:00:00", "addr_info": [{"local": "127.0.0.1"}]},
        {"ifname": "ens3", "address": "52:54:00:00:00:01", "addr_info": [{"local": "10.0.0.2"}]},
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
ADDRESS = ip_address("10.0.0.2")


@pytest.mark.parametrize(
    ("links", "mac", "address", "name"),
    [
        (LINKS, MAC, "10.0.0.2", "ens4"),
        (LINKS, None, "10.0.0.2", "ens3"),
        (LINKS, None, "fd00:0::2", "ens5"),
        (LINKS, "52:54:00:00:00:ff", "10.0.0.2", None),
        (LINKS, None, "10.0.0.3", None),
        (BONDED, MAC, "10.0.0.2", "bond0"),
    ],
)
def test_a_card_is_found(links: str, mac: str | None, address: str, name: str | None) -> None:
    assert found(links, mac=mac, address=ip_address(address)) == name


def test_a_card_that_comes_late_is_waited_for() -> None:
    answers = iter(["[]", LINKS])
    told = settings(UNMANAGED, provisioningIp="10.0.0.2")
    assert await_interface(told, look=lambda: next(answers)) == "ens3"


def test_no_card_is_looked_for_without_a_network() -> None:
    assert await_interface(settings(DISABLED), look=lambda: pytest.fail("looked")) == ""


def test_a_card_that_never_comes_is_named() -> None:
    with pytest.raises(NoInterfaceError, match=MAC):
        await_interface(settings(), look=lambda: "[]", within=0)
