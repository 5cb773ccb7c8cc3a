"""A node's first boot finds network data on its config drive, whatever file system that has.

Here it is ext4, which every kernel that runs tests has; Ironic's is ISO 9660.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingot import process
from ingot.osimage.files.node.usr.lib.ingot.first_boot import NETWORK_DATA, network_data_on

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="drives are only mounted by root")


def drive(folder: Path, files: dict[str, str]) -> Path:
    """Return a config drive with some files."""
    for name, text in {"openstack/latest/meta_data.json": "{}", **files}.items():
        file = folder / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    made = folder / "drive"
    process.run(["mke2fs", "-q", "-t", "ext4", "-L", "config-2", "-d", folder / "tree", made, "8M"])
    try:
        process.run(["losetup", "--find"])
    except process.CommandFailed:
        pytest.skip("this machine has no loop devices")
    return made


def test_network_data_is_read_from_it(tmp_path: Path) -> None:
    assert network_data_on(drive(tmp_path, {NETWORK_DATA: '{"links": []}'})) == '{"links": []}'


def test_a_drive_may_have_none(tmp_path: Path) -> None:
    assert network_data_on(drive(tmp_path, {})) is None


def test_the_drive_is_let_go_again(tmp_path: Path) -> None:
    made = drive(tmp_path, {})
    network_data_on(made)
    assert str(made) not in process.run(["losetup", "--list", "--output", "BACK-FILE"])
