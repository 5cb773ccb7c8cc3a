"""A machine of the lab kernel, for tests: started, watched, reached by SSH, and always ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO

from ingot.osimage.flavours import LAB_ARGUMENTS
from tests.e2e.site import Site, address_of, call, eventually, mac_of
from tests.e2e.ssh import ssh

GIB = 1 << 30
COPY_SECONDS = 600
"""For an image of some gigabytes, on a disk that others write to as well."""


@dataclass(frozen=True)
class Hardware:
    """What machines are made of."""

    kernel: Path
    image: Path
    key: Path
    """The private SSH key of whoever tests."""
    memory_mib: int = 1024
    disk_bytes: int = 8 * GIB


@dataclass
class Machine:
    """One machine; its number decides its MAC and address."""

    site: Site
    number: int
    hardware: Hardware
    disk: Path
    drive: Path | None
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    _watcher: Thread = field(default_factory=Thread)

    @property
    def address(self) -> str:
        return address_of(self.number)

    @property
    def console(self) -> str:
        """Everything on the console since the machine was last started."""
        if not self._log.exists():
            return ""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def _log(self) -> Path:
        return self.site.folder / f"console-{self.number}-{self.starts}.log"

    @property
    def resident_mib(self) -> int:
        """What the machine costs this host."""
        assert self.process is not None
        status = Path("/proc", str(self.process.pid), "status").read_text(encoding="utf-8")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) // 1024

    def start(self) -> None:
        """Power on."""
        self.starts += 1
        tap = f"tap{self.number}"
        drive = [f"ubd1r={self.drive}"] if self.drive else []
        self.process = subprocess.Popen(
            self.site.command(
                self.hardware.kernel,
                f"mem={self.hardware.memory_mib}M",
                f"ubd0={self.disk}",
                *drive,
                *LAB_ARGUMENTS.split(),
                "seccomp=on",
                f"umid=m{self.number}",
                f"uml_dir={self.site.folder}",
                f"vec0:transport=tap,ifname={tap},depth=128,gro=1,mac={mac_of(self.number)}",
                "con=null",
                "con0=null,fd:1",
                "ssl=null",
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        # The kernel wants a console it can wait for, so not a file.
        self._watcher = Thread(target=_copy, args=(self.process.stdout, self._log))
        self._watcher.start()

    def stop(self) -> None:
        """Pull the plug."""
        if self.process is None:
            return
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)
        self._watcher.join(30)
        self.process = None

    def ssh(self, command: str, *, user: str = "root", seconds: float = 60) -> str:
        """Run a command on the machine."""
        return self.try_ssh(command, user=user, seconds=seconds, check=True).stdout

    def try_ssh(
        self, command: str, *, user: str = "root", seconds: float = 60, check: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the machine and return how it went."""
        who = f"{user}@{self.address}"
        done = ssh(self.site.namespace, self.hardware.key, who, command, seconds=seconds)
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def wait_for_ssh(self, *, within: float, user: str = "root") -> None:
        """Wait until someone can log in."""

        def answers() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, f"the machine ended:\n{self.console[-2000:]}"
            return self.try_ssh("true", user=user, seconds=20).returncode == 0

        try:
            eventually(answers, within=within)
        except TimeoutError as late:
            raise AssertionError(f"no SSH; the console ends with\n{self.console[-4000:]}") from late


def _copy(console: IO[bytes], log: Path) -> None:
    with console, log.open("wb", buffering=0) as file:
        for line in console:
            file.write(line)


@contextmanager
def machine(
    site: Site, number: int, hardware: Hardware, *, drive: Path | None = None
) -> Iterator[Machine]:
    """Make a machine with a fresh disk, not yet started; it is gone afterwards."""
    disk = site.folder / f"disk-{number}.img"
    call("cp", "--sparse=always", "--reflink=auto", hardware.image, disk, seconds=COPY_SECONDS)
    os.truncate(disk, hardware.disk_bytes)
    tap = site.plug(number)
    made = Machine(site, number, hardware, disk, drive)
    try:
        yield made
    finally:
        made.stop()
        site.unplug(tap)
        disk.unlink()
        shutil.rmtree(site.folder / f"m{number}", ignore_errors=True)


def config_drive(folder: Path, ignition: str) -> Path:
    """Write an ISO as Ironic makes it, with an Ignition config as its user data."""
    content = folder / "drive/openstack/latest"
    content.mkdir(parents=True, exist_ok=True)
    (content / "user_data").write_text(ignition, encoding="utf-8")
    (content / "meta_data.json").write_text("{}", encoding="utf-8")
    iso = folder / "config-2.iso"
    call(
        "xorriso", "-as", "mkisofs", "-quiet", "-J", "-r", "-V", "config-2",
        "-o", iso, folder / "drive",
    )  # fmt: skip
    return iso
