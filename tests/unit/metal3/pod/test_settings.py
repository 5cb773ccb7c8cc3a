"""The pod's settings are read as they are meant, and mistakes are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingot.ironic.conf.ironic import Timing
from ingot.metal3.pod.settings import SettingsError, parse, read
from tests.unit.metal3.pod.told import DISABLED, MANAGED, UNMANAGED, settings

DHCP = MANAGED["dhcp"]


@pytest.mark.parametrize("base", [MANAGED, UNMANAGED, DISABLED])
def test_every_mode_has_settings_that_suffice(base: dict[str, Any]) -> None:
    assert settings(base).mode == base["mode"]


def test_a_mac_is_the_same_however_it_is_written() -> None:
    assert settings().interface_mac == "52:54:00:00:00:aa"


def test_times_are_those_of_ironic_unless_told_otherwise() -> None:
    assert settings().times == Timing()
    assert settings(timing={"bootRetry": 300}).times == Timing(boot_retry=300)


def test_kernel_parameters_may_be_one_text() -> None:
    assert settings(kernelParameters="a=1 b").kernel_parameters == ("a=1", "b")


@pytest.mark.parametrize(
    ("base", "changes", "said"),
    [
        (MANAGED, {"mode": "Sometimes"}, "mode"),
        (MANAGED, {"provisioningIp": "172.22.0"}, "provisioningIp"),
        (MANAGED, {"dhcp": None}, "dhcp is missing"),
        (UNMANAGED, {"dhcp": DHCP}, "Unmanaged hands out no addresses"),
        (MANAGED, {"provisioningIp": "172.22.0.50"}, "within the range"),
        (MANAGED, {"provisioningIp": "172.23.0.2"}, "not in 172.22.0.0/24"),
        (MANAGED, {"dhcp": {**DHCP, "first": "172.23.0.10"}}, "172.23.0.10 is not in"),
        (MANAGED, {"dhcp": {**DHCP, "last": "172.22.0.9"}}, "comes after"),
        (MANAGED, {"dhcp": {**DHCP, "last": "fd00::9"}}, "one IP version"),
        (MANAGED, {"dhcp": {**DHCP, "gateway": "10.0.0.1"}}, "10.0.0.1 is not in"),
        (MANAGED, {"allowedMacs": ["52:54:00"]}, "no MAC address"),
        (MANAGED, {"allowedMacs": ["52:54:00:00:00:01\ndhcp-script=/bin/sh"]}, "no MAC address"),
        (MANAGED, {"externalAddresses": ["10.0.0.1", "10.0.0.2"]}, "two of one IP version"),
        (MANAGED, {"bmcCa": "a key"}, "no certificate"),
        (MANAGED, {"sshKeys": ['ssh-ed25519 AAAA" init=/bin/sh "']}, "quote"),
        (MANAGED, {"kernelParameters": ["a\nb"]}, "line break"),
        (MANAGED, {"timing": {"coffee": 5}}, "timing.coffee"),
        (MANAGED, {"timing": {"bootRetry": 0}}, "timing.bootRetry"),
        (MANAGED, {"operator": {"PATH": "/tmp"}}, "operator.PATH"),  # noqa: S108 - never used
        (MANAGED, {"coffee": True}, "coffee"),
    ],
)
def test_a_mistake_is_named(base: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said) as refused:
        settings(base, **changes)
    assert refused.value.remedy


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        settings(provisioningIp="x", allowedMacs=["y"], bmcCa=3)
    assert len(refused.value.mistakes) >= 3


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(SettingsError, match="Invalid JSON"):
        parse("{")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nothing\.json"):
        read(tmp_path / "nothing.json")
