"""What is said of DHCP servers that are not ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from ingot.dhcp.servers import DhcpServer
from ingot.metal3.pod.interface import NoInterfaceError
from ingot.node.bootstrap import foreigndhcp
from ingot.node.bootstrap.foreigndhcp import check_no_other_dhcp, other_dhcp
from ingot.node.bootstrap.options import Places

FIRST = DhcpServer(IPv4Address("192.168.1.1"), "52:54:00:00:00:01")
SECOND = DhcpServer(IPv4Address("192.168.1.2"), "52:54:00:00:00:02")

NO_SUCH_CARD = "02:ff:ff:ff:ff:ff"
MANAGED = {
    "mode": "Managed",
    "provisioningIp": "172.22.0.2",
    "interfaceMac": NO_SUCH_CARD,
    "dhcp": {"first": "172.22.0.10", "last": "172.22.0.90", "network": "172.22.0.0/24"},
}
UNMANAGED = {"mode": "Unmanaged", "provisioningIp": "172.22.0.2", "interfaceMac": NO_SUCH_CARD}


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreigndhcp, "CARD_SECONDS", 0.0)


def places(folder: Path, settings: Mapping[str, object]) -> Places:
    (folder / "metal3").mkdir()
    (folder / "metal3/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return Places(told=folder, kubernetes=folder)


def test_where_nobody_answers_nothing_is_wrong() -> None:
    assert other_dhcp(()) is None


def test_a_server_is_named_with_its_address_its_mac_and_a_remedy() -> None:
    problem = other_dhcp((FIRST,))
    assert problem is not None
    assert "another DHCP server, 192.168.1.1 (52:54:00:00:00:01), answers" in problem.what
    assert "provisioning network" in problem.what
    assert "provisioningNetwork: Unmanaged" in problem.remedy


def test_all_of_several_are_named() -> None:
    problem = other_dhcp((FIRST, SECOND))
    assert problem is not None
    assert "192.168.1.1" in problem.what
    assert "192.168.1.2" in problem.what


def test_a_managed_network_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(NoInterfaceError):
        check_no_other_dhcp(places(tmp_path, MANAGED))


def test_a_network_that_a_user_manages_is_not(tmp_path: Path) -> None:
    check_no_other_dhcp(places(tmp_path, UNMANAGED))


def test_once_our_own_server_may_run_nobody_asks(tmp_path: Path) -> None:
    there = places(tmp_path, MANAGED)
    there.pods.mkdir()
    (there.pods / "30-metal3.yaml").touch()
    check_no_other_dhcp(there)
