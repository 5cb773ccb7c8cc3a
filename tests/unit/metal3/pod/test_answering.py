"""Who is answered by DHCP: a file for each host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.kube.changes import Change
from ingot.kube.object import KubeObject
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.operator.kinds import HOST
from ingot.metal3.pod.answering import BootMacs

MAC = "52:54:00:00:00:01"


def host(mac: str) -> KubeObject[BareMetalHost]:
    body = {
        "apiVersion": "metal3.io/v1alpha1",
        "kind": "BareMetalHost",
        "metadata": {"name": "worker-0", "namespace": "metal3"},
        "spec": {"online": True, **({"bootMACAddress": mac} if mac else {})},
    }
    return KubeObject(HOST, json.dumps(body).encode())


@pytest.fixture
def macs(tmp_path: Path) -> BootMacs:
    (tmp_path / "hosts").mkdir()
    return BootMacs(tmp_path / "hosts", tmp_path)


def written(macs: BootMacs) -> dict[str, str]:
    return {path.name: path.read_text() for path in macs.folder.iterdir()}


def test_a_host_that_comes_is_answered(macs: BootMacs) -> None:
    macs.on_change(Change(None, host(MAC.upper())))
    assert written(macs) == {"worker-0": f"{MAC}\n"}


def test_a_host_that_changes_its_card_is_answered_there(macs: BootMacs) -> None:
    other = "52:54:00:00:00:02"
    macs.on_change(Change(None, host(MAC)))
    macs.on_change(Change(host(MAC), host(other)))
    assert written(macs) == {"worker-0": f"{other}\n"}


def test_a_host_that_goes_has_no_file(macs: BootMacs) -> None:
    macs.on_change(Change(None, host(MAC)))
    macs.on_change(Change(host(MAC), None))
    assert written(macs) == {}


@pytest.mark.parametrize("mac", ["", "52:54:00:00:00:01,set:x", "ignore"])
def test_what_is_no_card_is_never_told_to_dnsmasq(macs: BootMacs, mac: str) -> None:
    macs.on_change(Change(None, host(mac)))
    assert written(macs) == {}
