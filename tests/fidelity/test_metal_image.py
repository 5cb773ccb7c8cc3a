"""The node image for servers starts on real firmware and does what its Ignition config says."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ingot.osimage.flavours import metal_image
from tests.e2e.configs import config, file, login
from tests.e2e.uml import config_drive
from tests.fidelity.conftest import built
from tests.fidelity.pc import Chassis, Firmware, disk

LOGIN_SECONDS = 2400


def test_uefi_starts_the_node_which_takes_its_ignition(chassis: Chassis, tmp_path: Path) -> None:
    key = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    told = config(
        passwd={"users": [login(public)]},
        storage={"files": [file("/etc/hostname", "metal-1\n")]},
    )
    drive = config_drive(tmp_path, json.dumps(told))
    devices = [
        *disk(built(metal_image()) / "disk.raw"),
        "-drive", f"if=none,id=config,format=raw,readonly=on,file={drive}",
        "-device", "virtio-blk-pci,drive=config",
    ]  # fmt: skip
    with chassis.pc(Firmware.UEFI, devices, memory_mib=4096) as pc:
        pc.wait_for_ssh(key, within=LOGIN_SECONDS)
        assert pc.ssh(key, "hostname").strip() == "metal-1"
        assert pc.ssh(key, "test -d /sys/firmware/efi && echo yes").strip() == "yes"
