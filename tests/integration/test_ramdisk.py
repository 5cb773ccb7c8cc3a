"""The agent ramdisk as built: small, with our hardware manager, and the same a second time."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from ingot import process
from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe, in_order
from ingot.artefact.store import Artefact, Store
from ingot.debian.root import ROOT_FILE
from ingot.osimage.agentroot import agent_root
from ingot.osimage.drivers import TREE, metal_drivers
from ingot.osimage.iso import ARGUMENTS, ISO, agent_iso
from ingot.osimage.ramdisk import INITRD, LAB_INITRD, ramdisk
from tests.full import only_in_full

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a Debian root is only made by root")

MEGABYTE = 1_000_000

MANAGERS = """
from ironic_python_agent import config, hardware
for found in hardware._get_extensions():
    print(found.name, found.entry_point_target)
"""


def built(recipe: Recipe) -> Artefact:
    return make(Store(), [recipe], Silent())[-1].artefact


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    process.run(["tar", "--extract", "--file", built(agent_root()).path / ROOT_FILE, "-C", folder])
    return folder


@pytest.fixture(scope="module")
def drivers() -> set[str]:
    with tarfile.open(built(metal_drivers()).path / TREE) as tar:
        return {Path(name).name for name in tar.getnames()}


def test_ramdisk_is_small() -> None:
    files = built(ramdisk()).files
    assert files[INITRD].size < 150 * MEGABYTE
    assert files[LAB_INITRD].size < 100 * MEGABYTE


def test_the_agent_itself_finds_our_hardware_manager(root: Path) -> None:
    script = f'mount -t proc proc "{root}/proc" && exec chroot "{root}" python3 -c "$0"'
    told = process.run(["unshare", "--mount", "sh", "-c", script, MANAGERS]).splitlines()
    assert "ingot ingot.agent.hardware:IngotHardwareManager" in told
    assert "generic ironic_python_agent.hardware:GenericHardwareManager" in told


def test_nothing_in_it_belongs_to_one_machine(root: Path) -> None:
    assert (root / "etc/machine-id").read_text(encoding="utf-8") == ""
    assert list((root / "etc/ssh").glob("ssh_host_*")) == []
    assert list((root / "root").glob(".ssh/*")) == []


@pytest.mark.parametrize(
    "module",
    [
        "ahci", "bnx2x", "e1000e", "ext4", "i40e", "ice", "igb", "ipmi_si", "isofs", "ixgbe",
        "megaraid_sas", "mlx5_core", "mpt3sas", "nvme", "qla2xxx", "raid1", "smartpqi", "tg3",
        "usb-storage", "vfat", "virtio_blk", "virtio_net", "virtio_scsi", "xfs",
    ],
)  # fmt: skip
def test_driver_is_there(drivers: set[str], module: str) -> None:
    assert f"{module}.ko.xz" in drivers


@pytest.mark.parametrize("blob", ["ice.pkg", "bnx2x-e2-7.13.21.0.fw", "ql2500_fw.bin"])
def test_firmware_is_there(drivers: set[str], blob: str) -> None:
    assert blob in drivers


def test_iso_names_kernel_ramdisk_and_arguments_where_ironic_does(tmp_path: Path) -> None:
    iso = built(agent_iso()).path / ISO
    process.run(["xorriso", "-osirrox", "on", "-indev", iso, "-extract", "/", tmp_path / "iso"])
    grub = (tmp_path / "iso/EFI/BOOT/grub.cfg").read_text(encoding="utf-8")
    assert f"linux /vmlinuz {ARGUMENTS} --\n" in grub
    assert "initrd /initrd\n" in grub
    made = built(ramdisk())
    assert (tmp_path / "iso/initrd").stat().st_size == made.files[INITRD].size


@only_in_full
def test_a_second_build_gives_the_same_files(tmp_path: Path) -> None:
    """What comes from outside is an input: Debian roots are taken as they are."""
    first, second = Store(), Store(tmp_path / "second")
    second.prepare()
    wanted = agent_iso()
    make(first, [wanted], Silent())
    for recipe in in_order(wanted):
        if not recipe.needs:
            made = first.find(recipe)
            assert made is not None
            (second.results / recipe.label).symlink_to(made.path)
    again = make(second, [wanted], Silent())
    unequal = [
        one.artefact.name
        for one, recipe in zip(again, in_order(wanted), strict=True)
        if (kept := first.find(recipe)) is None or kept.digest != one.artefact.digest
    ]
    assert [one.artefact.name for one in again if not one.cached]
    assert unequal == []
