"""The choice of a root disk, and that it is stated."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.metal3.api.hardware import DiskType, HardwareDetails, Storage
from ingot.metal3.api.raid import RAID, SoftwareRaidLevel, SoftwareRaidVolume
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.goal import Provision
from tests.unit.metal3.host.asking import Asked
from tests.unit.metal3.host.hosts import (
    IMAGE,
    S,
    act,
    condition,
    host,
    look,
    seen,
)

IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": {"image": IMAGE}}


GB = 10**9


def disk(name: str, size: int, **said: Any) -> Storage:  # noqa: ANN401 - any field
    return Storage(name=name, size_bytes=size * GB, **said)


SDA, SDB, SDC = disk("/dev/sda", 2000, serial_number="A"), disk("/dev/sdb", 480), disk(
    "/dev/sdc", 480, wwn="0x5000"
)  # fmt: skip
TINY = disk("/dev/sdd", 2)

CHOICES: dict[str, tuple[tuple[Storage, ...], dict[str, Any], RootDeviceHints | None, bool]] = {
    "one disk: no hint": ((SDA,), {}, None, False),
    "several: the smallest, pinned": ((SDA, SDC), {}, RootDeviceHints(wwn="0x5000"), True),
    "several of a size: the first by name": (
        (SDC, SDB), {}, RootDeviceHints(device_name="/dev/sdb"), True,
    ),
    "too small ones do not count": ((SDA, TINY), {}, None, False),
    "hints that fit one are passed on": (
        (SDA, SDC), {"root_device_hints": RootDeviceHints(min_size_gigabytes=1000)},
        RootDeviceHints(min_size_gigabytes=1000), False,
    ),
    "hints that fit several: the smallest of those": (
        (SDA, SDB, disk("/dev/sde", 900, serial_number="E")),
        {"root_device_hints": RootDeviceHints(min_size_gigabytes=500)},
        RootDeviceHints(serial_number="E"), True,
    ),
    "hints that fit none are passed on": (
        (SDA, SDB), {"root_device_hints": RootDeviceHints(model="none")},
        RootDeviceHints(model="none"), False,
    ),
    "not inspected: nothing is guessed": ((), {}, None, False),
    "software RAID is its own root": (
        (SDA, SDB),
        {"raid": RAID(software_raid_volumes=(SoftwareRaidVolume(level=SoftwareRaidLevel.MIRROR,
                                                                root_volume=True),))},
        None, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", CHOICES)
def test_the_root_disk_is_chosen_by_rule_and_the_rule_is_stated(row: str) -> None:
    disks, spec, hints, stated = CHOICES[row]
    subject = host(
        S.PROVISIONING, **IN_USE, **spec, status={"hardware": HardwareDetails(storage=disks)}
    )
    asked = Asked(seen(S.PROVISIONING, {Provision: act()}))
    decision = look(subject, asked.seen)
    goal = next(goal for goal in asked.goals if isinstance(goal, Provision))
    assert goal.root_hints == hints
    assert condition(decision, "RootDiskChosen") == (("True", "Smallest") if stated else None)


def test_the_statement_names_the_disks() -> None:
    hardware = HardwareDetails(storage=(SDA, SDC))
    decision = look(
        host(S.PROVISIONING, **IN_USE, status={"hardware": hardware}),
        seen(S.PROVISIONING, {Provision: act()}),
    )
    told = next(one for one in decision.status.conditions if one.type == "RootDiskChosen")
    assert told.message.startswith(
        "2 disks fit: /dev/sdc (480 GB), /dev/sda (2000 GB); the smallest, /dev/sdc, is written to"
    )


FITS: dict[str, tuple[RootDeviceHints, bool]] = {
    "device name": (RootDeviceHints(device_name="/dev/nvme0n1"), True),
    "another name of it": (RootDeviceHints(device_name="/dev/disk/by-path/x"), True),
    "other device name": (RootDeviceHints(device_name="/dev/sda"), False),
    "part of the model, in any case": (RootDeviceHints(model="p45"), True),
    "other vendor": (RootDeviceHints(vendor="acme"), False),
    "spins": (RootDeviceHints(rotational=True), False),
    "does not spin": (RootDeviceHints(rotational=False), True),
    "serial number": (RootDeviceHints(serial_number="S1"), True),
    "part of the serial number": (RootDeviceHints(serial_number="S"), False),
    "large enough": (RootDeviceHints(min_size_gigabytes=900), True),
    "not large enough": (RootDeviceHints(min_size_gigabytes=1000), False),
}


@pytest.mark.parametrize("row", FITS)
def test_hints_mean_disks_as_the_agent_has_it(row: str) -> None:
    hints, fits = FITS[row]
    nvme = disk(
        "/dev/nvme0n1", 1000, type=DiskType.NVME, model="P4510", vendor="Intel",
        serial_number="S1", alternate_names=("/dev/disk/by-path/x",),
    )  # fmt: skip
    second = disk("/dev/nvme1n1", 5000, type=DiskType.NVME, serial_number="S2")
    subject = host(
        S.PROVISIONING,
        **IN_USE,
        root_device_hints=hints,
        status={"hardware": HardwareDetails(storage=(nvme, second, nvme))},
    )
    decision = look(subject, seen(S.PROVISIONING, {Provision: act()}))
    assert (condition(decision, "RootDiskChosen") is not None) == fits
