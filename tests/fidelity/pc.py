"""A PC emulated by QEMU: firmware, disks, media and a network card; seen by its serial console."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ingot.osimage.qemu import (
    PROGRAM,
    SECURE_CODE,
    SECURE_VARIABLES,
    UEFI_CODE,
    UEFI_VARIABLES,
)
from tests.e2e.site import eventually

HOST = "10.0.2.2"
"""Where a PC sees this machine."""


class Firmware(Enum):
    """What the PC starts with."""

    UEFI = "uefi"
    SECURE_UEFI = "secure-uefi"
    """With Secure Boot on, and Microsoft's keys, as servers come."""
    BIOS = "bios"


@dataclass(frozen=True)
class Pc:
    """A running PC."""

    process: subprocess.Popen[bytes]
    log: Path
    ssh_port: int

    @property
    def console(self) -> str:
        """Everything on the serial console so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for_console(self, text: str, *, within: float) -> None:
        """Wait until the console shows a text."""

        def shown() -> bool:
            assert self.process.poll() is None, f"QEMU ended:\n{self.console[-3000:]}"
            return text in self.console

        try:
            eventually(shown, within=within, every=2)
        except TimeoutError as late:
            raise AssertionError(f"no {text!r} on\n{self.console[-6000:]}") from late

    def ssh(self, key: Path, command: str, *, user: str = "root", seconds: float = 300) -> str:
        """Run a command on the PC."""
        done = self._ssh(key, command, user, seconds)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def wait_for_ssh(self, key: Path, *, within: float, user: str = "root") -> None:
        """Wait until someone can log in."""

        def answers() -> bool:
            assert self.process.poll() is None, f"QEMU ended:\n{self.console[-3000:]}"
            return self._ssh(key, "true", user, 120).returncode == 0

        try:
            eventually(answers, within=within, every=5)
        except TimeoutError as late:
            raise AssertionError(f"no SSH; the console ends with\n{self.console[-6000:]}") from late

    def _ssh(
        self, key: Path, command: str, user: str, seconds: float
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                "ssh", "-n", "-i", str(key), "-p", str(self.ssh_port),
                "-o", "BatchMode=yes", "-o", "ConnectTimeout=60", "-o", "LogLevel=ERROR",
                "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                f"{user}@127.0.0.1", command,
            ],
            capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip


@dataclass(frozen=True)
class Chassis:
    """Where PCs are built: the QEMU tree, and a folder for what they write."""

    qemu: Path
    folder: Path

    @contextmanager
    def pc(
        self, firmware: Firmware, devices: Sequence[str], *, memory_mib: int = 2048
    ) -> Iterator[Pc]:
        """Start a PC; it is gone afterwards."""
        log = self.folder / "console.log"
        port = _free_port()
        with (self.folder / "qemu.log").open("wb") as said, subprocess.Popen(
            [
                str(self.qemu / PROGRAM), "-nodefaults", "-display", "none",
                "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(memory_mib),
                "-serial", f"file:{log}", "-device", "virtio-rng-pci",
                "-netdev", f"user,id=lan,hostfwd=tcp:127.0.0.1:{port}-:22",
                "-device", "virtio-net-pci,netdev=lan,romfile=",
                *self._firmware(firmware), *devices,
            ],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            log.touch()
            try:
                yield Pc(process, log, port)
            finally:
                process.kill()

    def _firmware(self, firmware: Firmware) -> list[str]:
        if firmware is Firmware.BIOS:
            return ["-machine", "q35"]
        secure = firmware is Firmware.SECURE_UEFI
        variables = self.folder / "variables.fd"
        shutil.copyfile(self.qemu / (SECURE_VARIABLES if secure else UEFI_VARIABLES), variables)
        code = self.qemu / (SECURE_CODE if secure else UEFI_CODE)
        return [
            "-machine", f"q35,smm={'on' if secure else 'off'}",
            "-global", f"driver=cfi.pflash01,property=secure,value={'on' if secure else 'off'}",
            "-drive", f"if=pflash,format=raw,readonly=on,file={code}",
            "-drive", f"if=pflash,format=raw,file={variables}",
        ]  # fmt: skip


def cd(image: Path) -> list[str]:
    """A virtual CD, as a BMC shows it."""
    return [
        "-drive", f"if=none,id=cd,media=cdrom,format=raw,readonly=on,file={image}",
        "-device", "ide-cd,drive=cd,bootindex=1",
    ]  # fmt: skip


def disk(image: Path, *, kind: str = "raw") -> list[str]:
    """A disk; what is written to it is forgotten."""
    return [
        "-drive", f"if=none,id=disk,snapshot=on,format={kind},file={image}",
        "-device", "virtio-blk-pci,drive=disk,serial=INGOT-1,bootindex=2",
    ]  # fmt: skip


def usb_stick(image: Path) -> list[str]:
    """A second virtual medium, as BMCs show it: a small disk on USB."""
    return [
        "-device", "qemu-xhci",
        "-drive", f"if=none,id=stick,format=raw,readonly=on,file={image}",
        "-device", "usb-storage,drive=stick",
    ]  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
