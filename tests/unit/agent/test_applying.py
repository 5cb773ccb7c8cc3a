"""Network data is written as networkd's files, and only what is not there like that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.agent.applying import apply
from ingot.agent.networkdata import UnusableData

CARD = {"id": "eth0", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:01"}
DATA = json.dumps({"links": [CARD], "networks": [{"type": "ipv4_dhcp", "link": "eth0"}]})


def test_files_are_written_where_networkd_reads_them(tmp_path: Path) -> None:
    assert apply(DATA, tmp_path / "network") is True
    (file,) = (tmp_path / "network").iterdir()
    assert file.suffix == ".network"
    assert "DHCP=ipv4" in file.read_text("utf-8")


def test_the_same_data_again_is_nothing_new(tmp_path: Path) -> None:
    apply(DATA, tmp_path)
    assert apply(DATA, tmp_path) is False


@pytest.mark.parametrize("left", [b"", b"[Match]\n", b"\xff"])
def test_what_a_power_cut_left_of_a_file_is_written_again(left: bytes, tmp_path: Path) -> None:
    apply(DATA, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(left)
    assert apply(DATA, tmp_path) is True
    assert file.read_bytes() == whole


def test_data_that_says_nothing_changes_nothing(tmp_path: Path) -> None:
    assert apply("{}", tmp_path) is False


@pytest.mark.parametrize("text", ["{", '{"links": [{}]}'])
def test_nothing_is_written_of_what_cannot_be_used(text: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableData):
        apply(text, tmp_path / "network")
    assert list(tmp_path.iterdir()) == []
