"""What is done to have the provisioning address for some seconds more."""

from __future__ import annotations

import json

import pytest

from ingot.metal3.pod.interface import NoInterfaceError
from ingot.metal3.pod.keeping import EVERY, LIFETIME, TERMS, renewal
from tests.unit.metal3.pod.told import MANAGED, settings

MAC = "52:54:00:00:00:aa"
KEPT = {**MANAGED, "interfaceMac": MAC, "keptIn": "172.22.0.0/24"}


def links(*, up: bool = True) -> str:
    return json.dumps(
        [
            {"ifname": "lo", "flags": ["UP"], "address": "00:00:00:00:00:00", "addr_info": []},
            {"ifname": "ens4", "flags": ["UP"] if up else [], "address": MAC, "addr_info": []},
        ]
    )


def test_the_address_is_gone_before_anybody_else_may_have_the_lease() -> None:
    assert TERMS.renew_deadline + LIFETIME < TERMS.duration
    assert EVERY * 2 < LIFETIME


def test_the_address_is_kept_for_seconds_only() -> None:
    words = "address replace 172.22.0.2/24 dev ens4 valid_lft 15 preferred_lft 15"
    assert renewal(links(), settings(KEPT)) == (tuple(words.split()),)


def test_a_card_that_is_down_is_brought_up_first() -> None:
    first, second = renewal(links(up=False), settings(KEPT))
    assert first == ("link", "set", "dev", "ens4", "up")
    assert second[0] == "address"


def test_an_ipv6_address_is_there_at_once() -> None:
    six = {
        "mode": "Unmanaged",
        "provisioningIp": "fd00:22::2",
        "keptIn": "fd00:22::/64",
        "interfaceMac": MAC,
    }
    (words,) = renewal(links(), settings(six))
    assert words[2] == "fd00:22::2/64"
    assert words[-1] == "nodad"


def test_a_machine_without_the_card_says_which_it_looked_for() -> None:
    with pytest.raises(NoInterfaceError, match=MAC):
        renewal("[]", settings(KEPT))
