"""Real Ironic provisions lab hosts with real firmware, over the network and by virtual media.

The hosts are virtual machines with OVMF, by the lab's own libvirt; what they boot and what is
written to their disks is what servers get.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from ingot.lab.plan import BmcKind
from ingot.machine.model import BootMode
from ingot.osimage.flavours import metal_image
from ingot.osimage.ramdisk import INITRD, KERNEL, ramdisk
from tests.e2e.hostlife import GREETING, Story, lives
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.provisioner import Ramdisk
from tests.e2e.site import call
from tests.fidelity.conftest import built

KINDS = (BmcKind.REDFISH, BmcKind.REDFISH_VIRTUALMEDIA)
PATIENCE = 8
"""Without KVM, what is emulated takes many times longer."""
SECONDS = 2 * 3600


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    options = ("--control-plane", "1", "--workers", "1", "--driver", "libvirt", "--bmc", "mixed")
    with created_lab(tmp_path_factory.mktemp("lab"), *options, name=f"fid{os.getpid()}") as created:
        yield created


@pytest.fixture(scope="module")
def stories(
    lab: TestLab, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[BmcKind, Future[Story]]]:
    key = tmp_path_factory.mktemp("key") / "id"
    call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    agent = built(ramdisk())
    with lives(
        lab,
        tmp_path_factory.mktemp("provisioner"),
        ramdisk=Ramdisk(agent / KERNEL, agent / INITRD),
        image=built(metal_image()) / "disk.raw",
        key=key,
        patience=PATIENCE,
    ) as begun:
        assert set(begun) == set(KINDS)
        yield begun


@pytest.mark.parametrize("kind", KINDS)
def test_host_is_provisioned_and_deprovisioned(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=SECONDS)
    assert story.host.boot_mode is BootMode.UEFI
    assert story.greeting == GREETING
    assert story.root_bytes > 5 << 30, "the root did not grow to the disk"
    assert story.partitions_after == "none"
