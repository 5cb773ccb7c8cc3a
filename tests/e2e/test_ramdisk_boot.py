"""The agent ramdisk boots on a small machine, and its agent knows the machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.ramdisk_machine import Parts, RamdiskMachine, built_parts, ramdisk_machine
from tests.e2e.site import GATEWAY, address_of, mac_of, opened_site

NUMBER = 3
USED_MIB = 450
"""What system, root and agent may take of the memory; measured: 347."""
BOOT_SECONDS = 300

ASK = """
import json, sys
from ironic_python_agent import config, encoding, hardware

managers = [
    {**manager.get_version(), "support": manager.evaluate_hardware_support()}
    for manager in hardware.get_managers()
]
inventory = hardware.list_hardware_info()
json.dump(
    {
        "managers": managers,
        "inventory": json.loads(encoding.RESTJSONEncoder().encode(inventory)),
        "api_url": config.cfg.CONF.api_url,
        "root": hardware.dispatch_to_managers("get_os_install_device"),
    },
    sys.stdout,
)
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return built_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def machine(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RamdiskMachine]:
    with (
        opened_site(tmp_path_factory.mktemp("site")) as site,
        ramdisk_machine(
            site, NUMBER, parts, [f"ipa-api-url=http://{GATEWAY}:6385", "ipa-debug=1"]
        ) as started,
    ):
        started.wait_for_ssh(within=BOOT_SECONDS)
        started.wait_for_console(f"lookup with http://{GATEWAY}:6385", within=BOOT_SECONDS)
        yield started


@pytest.fixture(scope="module")
def told(machine: RamdiskMachine) -> dict[str, Any]:
    """What the agent itself says of the machine, of us and of Ironic."""
    answer: dict[str, Any] = json.loads(machine.ssh("python3 -", stdin=ASK))
    return answer


def test_agent_lists_the_disk(told: dict[str, Any], parts: Parts) -> None:
    (disk,) = told["inventory"]["disks"]
    assert (disk["name"], disk["size"]) == ("/dev/ubda", parts.disk_bytes)
    assert told["root"] == "/dev/ubda"


def test_agent_lists_the_card_with_its_address(told: dict[str, Any]) -> None:
    cards = {card["name"]: card for card in told["inventory"]["interfaces"]}
    assert cards["vec0"]["mac_address"] == mac_of(NUMBER)
    assert cards["vec0"]["ipv4_address"] == address_of(NUMBER)
    assert cards["vec0"]["has_carrier"]


def test_agent_knows_the_memory(told: dict[str, Any], parts: Parts) -> None:
    total = told["inventory"]["memory"]["total"] >> 20
    assert parts.memory_mib * 0.9 < total <= parts.memory_mib


def test_our_hardware_manager_stands_before_the_generic_one(told: dict[str, Any]) -> None:
    names = [manager["name"] for manager in told["managers"]]
    assert names == ["ingot", "generic_hardware_manager"]


def test_agent_takes_its_api_from_the_kernel_command_line(told: dict[str, Any]) -> None:
    assert told["api_url"] == f"http://{GATEWAY}:6385"


def test_nothing_has_failed(machine: RamdiskMachine) -> None:
    assert machine.ssh("systemctl --failed --plain --no-legend") == ""


def test_most_of_the_memory_is_left(machine: RamdiskMachine) -> None:
    row = machine.ssh("free --mebi").splitlines()[1].split()
    assert int(row[2]) < USED_MIB


def test_every_program_that_the_agent_calls_is_there(machine: RamdiskMachine) -> None:
    programs = (
        "blockdev chronyc chronyd dd dmidecode efibootmgr file findfs findmnt fuser hdparm hexdump "
        "hwclock ip ipmitool lsblk lscpu lshw lspci mdadm mkfs.ext4 mkfs.vfat mkfs.xfs modprobe "
        "mount nvme parted partprobe partx qemu-img sgdisk sfdisk sg_inq shred smartctl udevadm "
        "wipefs"
    )
    missing = machine.ssh(
        f"for name in {programs}; do command -v $name >/dev/null || echo $name; done"
    )
    assert missing.split() == []


def test_libraries_of_every_program_are_there(machine: RamdiskMachine) -> None:
    broken = machine.ssh(
        "for file in /usr/bin/* /usr/sbin/*; do "
        "ldd $file 2>/dev/null | grep -q 'not found' && echo $file; done; true",
        seconds=600,
    )
    assert broken.split() == []


@pytest.mark.usefixtures("told")  # asked before the disk is changed
def test_disk_can_be_partitioned_and_mirrored(machine: RamdiskMachine) -> None:
    told_by_disk = machine.ssh(
        "set -e; sgdisk -n 1:0:+64M -n 2:0:+64M /dev/ubda >&2; udevadm settle; "
        "mdadm --create /dev/md0 --run --level=1 --metadata=1.0 --raid-devices=2 "
        "/dev/ubda1 /dev/ubda2; mkfs.ext4 -q -L config-2 /dev/md0; udevadm settle; "
        "lsblk -n -o LABEL /dev/md0; mdadm --stop /dev/md0",
        seconds=300,
    )
    assert "config-2" in told_by_disk.splitlines()


def test_nobody_has_a_password(machine: RamdiskMachine) -> None:
    hashes = {line.split(":")[1] for line in machine.ssh("cat /etc/shadow").splitlines()}
    assert hashes <= {"*", "!", "!*"}
