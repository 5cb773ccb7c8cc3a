"""A machine of the lab kernel that runs the agent ramdisk, with an empty disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.osimage.kernel import lab_kernel
from ingot.osimage.ramdisk import LAB_INITRD, ramdisk
from tests.e2e.site import Site, address_of, eventually, mac_of
from tests.e2e.ssh import ssh


@dataclass(frozen=True)
class RamdiskMachine:
    """A running machine; its number decides its MAC and address."""

    site: Site
    number: int
    key: Path
    process: subprocess.Popen[bytes]

    @property
    def console(self) -> str:
        """Everything on the console so far."""
        return _log(self.site, self.number).read_text(encoding="utf-8", errors="replace")

    @property
    def resident_mib(self) -> int:
        """What the machine costs this host."""
        status = Path("/proc", str(self.process.pid), "status").read_text(encoding="utf-8")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) // 1024

    def ssh(self, command: str, *, stdin: str = "", seconds: float = 120) -> str:
        """Run a command on the machine."""
        done = self._ssh(command, stdin, seconds)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def wait_for_ssh(self, *, within: float) -> None:
        """Wait until someone can log in."""

        def answers() -> bool:
            assert self.process.poll() is None, f"the machine ended:\n{self.console[-3000:]}"
            return self._ssh("true", "", 20).returncode == 0

        try:
            eventually(answers, within=within)
        except TimeoutError as late:
            raise AssertionError(f"no SSH; the console ends with\n{self.console[-6000:]}") from late

    def wait_for_console(self, text: str, *, within: float) -> None:
        """Wait until the console shows a text."""
        try:
            eventually(lambda: text in self.console, within=within)
        except TimeoutError as late:
            raise AssertionError(f"no {text!r} on\n{self.console[-6000:]}") from late

    def _ssh(self, command: str, stdin: str, seconds: float) -> subprocess.CompletedProcess[str]:
        who = f"root@{address_of(self.number)}"
        return ssh(self.site.namespace, self.key, who, command, stdin=stdin, seconds=seconds)


@dataclass(frozen=True)
class Parts:
    """What such a machine is made of."""

    kernel: Path
    initrd: Path
    key: Path
    """The private SSH key of whoever tests; its public half lies beside it."""
    memory_mib: int = 2048
    disk_bytes: int = 4 << 30


def built_parts(folder: Path) -> Parts:
    """Return kernel and ramdisk, built if they are not there, and a key in a folder."""
    key = folder / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    kernel, initrd = lab_kernel(), ramdisk()
    made = {
        one.artefact.key: one.artefact.path for one in make(Store(), [kernel, initrd], Silent())
    }
    return Parts(made[kernel.key] / "linux", made[initrd.key] / LAB_INITRD, key)


@contextmanager
def ramdisk_machine(
    site: Site, number: int, parts: Parts, arguments: Sequence[str] = ()
) -> Iterator[RamdiskMachine]:
    """Start a machine; it is gone afterwards."""
    disk = site.folder / f"empty-{number}.img"
    with disk.open("wb") as file:
        file.truncate(parts.disk_bytes)
    tap = site.plug(number)
    public = parts.key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    with _log(site, number).open("wb") as log:
        process = subprocess.Popen(
            site.command(
                parts.kernel,
                f"mem={parts.memory_mib}M",
                f"initrd={parts.initrd}",
                f"ubd0={disk}",
                "seccomp=on",
                f"umid=m{number}",
                f"uml_dir={site.folder}",
                f"vec0:transport=tap,ifname={tap},depth=128,gro=1,mac={mac_of(number)}",
                "con=null",
                "con0=null,fd:1",
                "ssl=null",
                # Drivers that are built in make a card of their own, which no server has.
                "bonding.max_bonds=0",
                "dummy.numdummies=0",
                f'sshkey="{public}"',
                *arguments,
            ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield RamdiskMachine(site, number, parts.key, process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
        site.unplug(tap)
        disk.unlink()
        shutil.rmtree(site.folder / f"m{number}", ignore_errors=True)


def _log(site: Site, number: int) -> Path:
    return site.folder / f"ramdisk-{number}.log"
