"""A file that is whole at every moment, and switches that are only turned where they are off."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.hostgateway.forwarding import ensure_forwarding
from ingot.hostgateway.problem import UnwritableError
from ingot.hostgateway.writing import write_if_changed


def test_a_file_is_written_only_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "10-ingot.conflist"
    assert write_if_changed(path, "one")
    number = path.stat().st_ino
    assert not write_if_changed(path, "one")
    assert path.stat().st_ino == number
    assert write_if_changed(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match=r"none/10-ingot\.conflist cannot be written"):
        write_if_changed(tmp_path / "none" / "10-ingot.conflist", "one")


def test_only_the_switches_of_the_families_in_use_are_turned(tmp_path: Path) -> None:
    four, six = tmp_path / "ipv4/ip_forward", tmp_path / "ipv6/conf/all/forwarding"
    for switch in (four, six):
        switch.parent.mkdir(parents=True)
        switch.write_text("0\n")
    assert ensure_forwarding(tmp_path, [4]) == ("ipv4/ip_forward",)
    assert (four.read_text(), six.read_text()) == ("1\n", "0\n")
    assert ensure_forwarding(tmp_path, [4, 6]) == ("ipv6/conf/all/forwarding",)
    assert ensure_forwarding(tmp_path, [4, 6]) == ()
