"""Real Ironic and the real agent take hosts of the lab from an empty disk to an image, and back.

One host for each way that a BMC can be spoken to; they go through it side by side.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from ingot.lab.plan import BmcKind
from tests.e2e.hostlife import GREETING, Story, lives
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.provisioner import Ramdisk
from tests.e2e.ramdisk_machine import built_parts
from tests.e2e.uml import Hardware

LAB = f"prov{os.getpid()}"
KINDS = tuple(BmcKind)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    options = ("--control-plane", "3", "--workers", "0", "--driver", "uml", "--bmc", "mixed")
    with created_lab(folder, *options, name=LAB) as created:
        yield created


@pytest.fixture(scope="module")
def stories(
    lab: TestLab, hardware: Hardware, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[BmcKind, Future[Story]]]:
    initrd = built_parts(tmp_path_factory.mktemp("parts")).initrd
    with lives(
        lab,
        tmp_path_factory.mktemp("provisioner"),
        ramdisk=Ramdisk(hardware.kernel, initrd),
        image=hardware.image,
        key=hardware.key,
    ) as begun:
        assert set(begun) == set(KINDS)
        yield begun


@pytest.mark.parametrize("kind", KINDS)
def test_host_is_provisioned_and_deprovisioned(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=1800)
    assert story.greeting == GREETING
    assert story.root_bytes > 4 << 30, "the root did not grow to the disk"
    assert story.partitions_after == "none"


@pytest.mark.parametrize("kind", KINDS)
def test_agent_finds_what_the_plan_says(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=1800)
    disks, cards = story.inventory["disks"], story.inventory["interfaces"]
    assert isinstance(disks, list)
    assert isinstance(cards, list)
    assert next(disk["size"] for disk in disks) == story.host.disks[0].size_gib << 30
    own = disks[: len(story.host.disks)]  # After them comes media, which is a disk like any other.
    assert [disk["serial"] for disk in own] == [disk.serial for disk in story.host.disks]
    assert {card["mac_address"] for card in cards} == {nic.mac for nic in story.host.nics}
