"""The agent's ISO starts on real firmware."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ingot.osimage.iso import ISO, agent_iso
from tests.fidelity.conftest import built
from tests.fidelity.pc import HOST, Chassis, Firmware, cd, disk, usb_stick

KERNEL_SECONDS = 900
AGENT_SECONDS = 1800
"""Emulation is about 23 times slower than the machine it runs on."""

REGISTERED = "Hardware manager found: ingot.agent.hardware:IngotHardwareManager"
PARAMETERS = f"ipa-api-url=http://{HOST}:6385\nipa-debug=1\nipa-ip-lookup-attempts=30\n"


@pytest.fixture
def iso() -> Path:
    return built(agent_iso()) / ISO


@pytest.fixture
def empty_disk(tmp_path: Path) -> Path:
    image = tmp_path / "empty.img"
    with image.open("wb") as file:
        file.truncate(8 << 30)
    return image


@pytest.fixture
def parameters(tmp_path: Path) -> Path:
    """The medium on which Ironic gives its parameters to an agent from a ready-made ISO."""
    image, text = tmp_path / "parameters.img", tmp_path / "parameters.txt"
    text.write_text(PARAMETERS, encoding="utf-8")
    with image.open("wb") as file:
        file.truncate(2 << 20)
    subprocess.run(["mkfs.vfat", "-n", "ir-vfd-dev", image], check=True, capture_output=True)
    subprocess.run(["mcopy", "-i", image, text, "::parameters.txt"], check=True)
    return image


def test_uefi_starts_the_agent_which_finds_its_parameters(
    chassis: Chassis, iso: Path, empty_disk: Path, parameters: Path
) -> None:
    devices = [*cd(iso), *disk(empty_disk), *usb_stick(parameters)]
    with chassis.pc(Firmware.UEFI, devices) as pc:
        pc.wait_for_console("Linux version 6.", within=KERNEL_SECONDS)
        pc.wait_for_console(REGISTERED, within=AGENT_SECONDS)
        pc.wait_for_console(f"http://{HOST}:6385", within=AGENT_SECONDS)


def test_secure_boot_accepts_everything_up_to_the_drivers(
    chassis: Chassis, iso: Path, empty_disk: Path, parameters: Path
) -> None:
    devices = [*cd(iso), *disk(empty_disk), *usb_stick(parameters)]
    with chassis.pc(Firmware.SECURE_UEFI, devices) as pc:
        pc.wait_for_console("secureboot: Secure boot enabled", within=KERNEL_SECONDS)
        pc.wait_for_console(REGISTERED, within=AGENT_SECONDS)


def test_bios_starts_the_agent_which_looks_around(
    chassis: Chassis, iso: Path, empty_disk: Path
) -> None:
    with chassis.pc(Firmware.BIOS, [*cd(iso), *disk(empty_disk)]) as pc:
        pc.wait_for_console("Linux version 6.", within=KERNEL_SECONDS)
        pc.wait_for_console(
            "Did not identify any virtual media candidates devices.", within=AGENT_SECONDS
        )
