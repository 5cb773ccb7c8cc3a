"""Machines that boot in a second, run a program of ours, and do what they are told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.machine.model import Disk, MacAddress, MachineSpec, Nic
from ingot.machine.uml.driver import UmlDriver
from ingot.osimage.cpio import write_cpio
from ingot.osimage.kernel import lab_kernel
from tests.e2e.site import eventually

SOURCE = Path(__file__).with_name("guest.c")
STUB = Path(__file__).with_name("stub.py")

MAILBOX = 1
"""The number of the disk by which the guest is told."""

SECTOR = 512
BRIDGE = "lan"
WITHIN = 120.0


def built_kernel() -> Path:
    """Return the lab kernel, built if it is not there."""
    (made,) = make(Store(), [lab_kernel()], Silent())[-1:]
    return made.artefact.path / "linux"


def built_guest(folder: Path) -> Path:
    """Return a ramdisk with the guest."""
    root = folder / "root"
    (root / "dev").mkdir(parents=True)
    os.mknod(root / "dev/console", 0o020600, os.makedev(5, 1))
    subprocess.run(
        ["gcc", "-static", "-O1", "-Wall", "-Werror", "-o", root / "init", SOURCE], check=True
    )
    ramdisk = folder / "guest.cpio"
    write_cpio(root, ramdisk)
    return ramdisk


def stub_firmware(ramdisk: Path) -> tuple[str, ...]:
    """Return the program that starts the guest."""
    return (sys.executable, str(STUB), str(ramdisk))


def tiny_spec(name: str = "tiny", *, number: int = 0) -> MachineSpec:
    """Return a machine for the guest; several have a number of their own each."""
    return MachineSpec(
        name=name,
        uuid=f"00000000-0000-0000-0000-{number:012}",
        memory_mib=64,
        disks=(
            Disk(size_bytes=1 << 20, serial=f"DISK{number}", wwn=f"0x{number:016x}"),
            Disk(size_bytes=1 << 20, serial=f"MAIL{number}", wwn=f"0x{number + 1000:016x}"),
        ),
        nics=tuple(
            Nic(
                mac=MacAddress(f"52:54:00:00:{number:02x}:{card:02x}"),
                bridge=BRIDGE,
                port=f"t{number}-{card}",
            )
            for card in range(2)
        ),
    )


@dataclass(frozen=True)
class Rack:
    """Where machines of the guest are made."""

    home: Path
    kernel: Path
    prefix: str
    firmware: tuple[str, ...]

    def driver(self, *, firmware: Sequence[str] | None = None) -> UmlDriver:
        """Return another driver object for the same machines."""
        return UmlDriver(
            self.home,
            kernel=self.kernel,
            namespace_prefix=self.prefix,
            firmware=firmware or self.firmware,
        )

    def leftovers(self) -> list[str]:
        """Return whatever there still is of any machine: folders, namespaces, processes."""
        folders = list(self.home.iterdir()) if self.home.is_dir() else []
        spaces = [path for path in Path("/run/netns").iterdir() if self.prefix in path.name]
        return [*map(str, folders), *map(str, spaces), *map(str, processes_of(self.home))]


def processes_of(folder: Path) -> list[int]:
    """Return the processes whose command line names something in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            words = (path / "cmdline").read_bytes().split(b"\0")
            if any(word.startswith(os.fsencode(folder)) for word in words[:4]):
                found.append(int(path.name))
    return found


@dataclass
class Guest:
    """The guest of one machine."""

    driver: UmlDriver
    home: Path
    name: str = "tiny"
    orders: int = 0

    @property
    def folder(self) -> Path:
        return self.home / self.name

    @property
    def console(self) -> str:
        return self.driver.console(self.name).read_text(encoding="utf-8", errors="replace")

    def starts(self) -> int:
        """Return how often it came up so far."""
        return self.console.count("guest: ready")

    def comes_up(self, times: int = 1) -> None:
        """Wait until it has come up that often."""
        self.shows(lambda: self.starts() == times)

    def does(self, *words: str) -> str:
        """Tell it something, wait until it is done, and return what it said."""
        before = len(self.console)
        self.is_told(*words)
        self.shows(lambda: f"guest: done {self.orders}" in self.console)
        return self.console[before:]

    def is_told(self, *words: str) -> None:
        """Tell it something that it may not live to answer."""
        self.orders += 1
        order = f"{self.orders} {' '.join(words)}\n".encode()
        with (self.folder / f"disk{MAILBOX}.img").open("r+b") as mailbox:
            mailbox.write(order.ljust(SECTOR, b"\0"))

    def shows(self, check: Callable[[], bool]) -> None:
        """Wait for something, and show the console where it does not come."""
        try:
            eventually(check, within=WITHIN, every=0.05)
        except TimeoutError as late:
            raise AssertionError(f"the console ends with\n{self.console[-3000:]}") from late
