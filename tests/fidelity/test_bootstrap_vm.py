"""The bootstrap VM by libvirt, with real firmware, as `ingot create cluster` makes it.

A lab has a libvirt of its own, so this is all that users of one have. Emulated, a control plane
takes most of an hour: the install is interrupted when the VM has booted, has read who it is and has
its address from the lab's network, which is what another hypervisor could keep it from.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.lab.drivers import own_libvirt
from ingot.lab.labs import Lab
from ingot.osimage.mediaimage import media_metal
from tests.e2e.cluster import Cluster
from tests.e2e.creating import NOT_CREATED
from tests.e2e.lab import INGOT, TestLab, created_lab
from tests.e2e.site import eventually
from tests.fidelity.conftest import built

SECONDS = 3600
INTERRUPTED = 8


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestLab]:
    built(media_metal())
    options = ("--control-plane", "3", "--workers", "0", "--driver", "libvirt", "--bmc", "redfish")
    # Not below pytest's own folders: the path of libvirt's socket has to be short.
    with (
        tempfile.TemporaryDirectory(prefix="ingot-") as folder,
        created_lab(Path(folder), *options, name=f"vm{os.getpid()}") as created,
    ):
        monkeypatch.setenv("INGOT_STATE", str(created.state))
        yield created


def test_vm_boots_finds_its_network_and_leaves_nothing(lab: TestLab) -> None:
    libvirt = own_libvirt(Lab(lab.name)).virsh
    before = (libvirt("list", "--all", "--name"), libvirt("pool-list", "--all", "--name"))
    journal = InstallJournal(lab.directory / ".ingot/journal")
    log = lab.directory.parent / "create.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [INGOT, "create", "cluster", "--dir", lab.directory],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
    try:
        eventually(
            lambda: process.poll() is not None or has_begun(journal, Phase.CONTROL_PLANE),
            within=SECONDS,
        )
        assert process.poll() is None, log.read_text(encoding="utf-8")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == INTERRUPTED, log.read_text(encoding="utf-8")
    finally:
        process.kill()
        process.wait()
    assert "bootstrap" in libvirt("list", "--name")
    done = Cluster(lab, NOT_CREATED).ingot("destroy", "cluster")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    after = (libvirt("list", "--all", "--name"), libvirt("pool-list", "--all", "--name"))
    assert after == before


def has_begun(journal: InstallJournal, phase: Phase) -> bool:
    return any(one.what == phase for one in journal.entries())
