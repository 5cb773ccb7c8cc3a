"""Five hosts that are powered on at once all come up, each from media that its BMC was given."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import sushy

from ingot.lab.plan import HostPlan
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.ramdisk_machine import Parts, built_parts
from tests.e2e.site import call, eventually

PORT = 8000
ISOLINUX = """\
default boot

label boot
kernel /vmlinuz
append initrd=/initrd text sshkey="{key}" --
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return built_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    # Spares are held to need no disk space, and none of these is ever installed.
    hosts = ("--control-plane", "1", "--workers", "0", "--spares", "4", "--driver", "uml")
    options = (*hosts, "--bmc", "redfish-virtualmedia", "--network", "disabled")
    with created_lab(folder, *options, name=f"crowd{os.getpid()}") as created:
        yield created


@pytest.fixture(scope="module")
def iso(lab: TestLab, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    key = parts.key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    (folder / "isolinux.cfg").write_text(ISOLINUX.format(key=key), encoding="utf-8")
    call(
        "xorriso", "-as", "mkisofs", "-quiet", "-r", "-o", folder / "agent.iso", "-graft-points",
        f"/vmlinuz={parts.kernel}", f"/initrd={parts.initrd}",
        f"/isolinux/isolinux.cfg={folder / 'isolinux.cfg'}",
    )  # fmt: skip
    with served(lab, folder) as url:
        yield f"{url}/agent.iso"


@contextmanager
def served(lab: TestLab, folder: Path) -> Iterator[str]:
    """Serve a folder on the lab's network."""
    gateway = str(lab.plan.networks.external_gateway)
    command = lab.command(
        "python3", "-m", "http.server", "--bind", gateway, "--directory", folder, str(PORT)
    )
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://{gateway}:{PORT}"
            eventually(lambda: answers(lab, url), within=30)
            yield url
        finally:
            server.kill()


def answers(lab: TestLab, url: str) -> bool:
    ask = f"import urllib.request; urllib.request.urlopen({url!r}, timeout=5)"
    done = subprocess.run(
        lab.command("python3", "-c", ask), check=False, capture_output=True, timeout=30
    )
    return done.returncode == 0


def start_from_media(host: HostPlan, iso: str) -> None:
    """Do with a host what Ironic does: insert, boot from it once, power on."""
    bmc = sushy.Sushy(
        f"https://{host.bmc.address}",
        username=host.bmc.username,
        password=host.bmc.password,
        verify=False,
    )
    system = bmc.get_system(f"/redfish/v1/Systems/{host.uuid}")
    (drive,) = (
        medium
        for medium in system.virtual_media.get_members()
        if sushy.VIRTUAL_MEDIA_CD in medium.media_types
    )
    drive.insert_media(iso)
    system.set_system_boot_options(
        target=sushy.BOOT_SOURCE_TARGET_CD, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE
    )
    system.reset_system(sushy.RESET_ON)


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
def test_five_hosts_powered_on_at_once_all_come_up(lab: TestLab, parts: Parts, iso: str) -> None:
    hosts = lab.plan.hosts
    assert len(hosts) == 5
    with ThreadPoolExecutor(len(hosts)) as threads:
        list(threads.map(lambda host: start_from_media(host, iso), hosts))
    missing = {host.name for host in hosts}

    def all_up() -> bool:
        for name in tuple(missing):
            if lab.ssh(name, parts.key, "systemctl is-active ssh").stdout == "active\n":
                missing.discard(name)
        return not missing

    try:
        eventually(all_up, within=300, every=2)
    except TimeoutError as late:
        consoles = "\n".join(lab.console(name)[-1500:] for name in missing)
        raise AssertionError(f"{missing} did not come up\n{consoles}") from late
    assert {host["power"] for host in lab.status().values()} == {"on"}
