"""The folder of a User-Mode Linux machine: what driver and firmware know of it, and share.

The two never speak to each other; each may be killed at any moment. So every file is replaced as a
whole, and a change of the boot settings is made under a lock.

    draft.json     what it shall be made of, while it is being made
    spec.json      what the machine is made of, once it is
    parts.json     what runs it: kernel, fault shim, network namespaces
    boot.json      what the firmware has been told
    process.json   the process, while it is powered
    soft-off       there while the power button is held to have been pressed
    activity       what the machine is doing, in a few words
    console.log    everything the serial console ever showed
    disk0.img …    its disks
    faults.bin     what the fault shim reads
    firmware       the program the kernel starts over with when the machine is reset

Outside of it, because the path of a socket must be short: `/run/ingot-…`, where the kernel listens.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from ingot.background import Background
from ingot.machine.model import BootSettings, BootSource, MachineSpec

__all__ = ["SOFT_OFF_SECONDS", "Home", "Parts", "media_unit", "soft_off_is_due", "uml_dir"]

SOFT_OFF_SECONDS = 120.0
"""How long a press of the power button counts. A guest that ignored it, and starts over long after,
means to start over."""

_RUN = Path("/run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What runs a machine.

    Attributes:
        kernel: the lab kernel, for what brings none of its own: a disk with boot loader entries.
        shim: the library that makes disks and clock misbehave, where there is one.
        namespace: the network namespace in which the firmware has the machine's cards, as `net0`,
            `net1`, …, before the kernel takes them over by their tap devices.
    """

    kernel: Path
    shim: Path | None
    namespace: str


_SPEC = TypeAdapter(MachineSpec)
_PARTS = TypeAdapter(Parts)
_BOOT = TypeAdapter(BootSettings)


@dataclass(frozen=True, slots=True)
class Home:
    """One such folder."""

    path: Path

    @property
    def exists(self) -> bool:
        """Whether a machine has been defined here, completely."""
        return (self.path / "spec.json").exists()

    @property
    def console(self) -> Path:
        """The console's log."""
        return self.path / "console.log"

    @property
    def soft_off(self) -> Path:
        """The sign that the power button was pressed."""
        return self.path / "soft-off"

    @property
    def faults(self) -> Path:
        """What the fault shim reads."""
        return self.path / "faults.bin"

    @property
    def firmware(self) -> Path:
        """The program that starts the machine."""
        return self.path / "firmware"

    @property
    def mconsole(self) -> Path:
        """The socket where the kernel takes orders, while it runs; `umid=` is the folder's name."""
        return uml_dir(self) / self.path.name / "mconsole"

    @property
    def process(self) -> Background:
        """The machine's process."""
        return Background(self.path / "process.json")

    def disk(self, number: int) -> Path:
        """Return the file of a disk."""
        return self.path / f"disk{number}.img"

    def spec(self) -> MachineSpec:
        """Return what the machine is made of."""
        return _SPEC.validate_json((self.path / "spec.json").read_bytes())

    def set_spec(self, spec: MachineSpec) -> None:
        """Write down what the machine is made of: the last step of making it."""
        self._write("spec.json", _SPEC.dump_json(spec, indent=2))

    def draft(self) -> MachineSpec | None:
        """Return what the machine shall be made of, where it is half made."""
        try:
            return _SPEC.validate_json((self.path / "draft.json").read_bytes())
        except FileNotFoundError:
            return None

    def set_draft(self, spec: MachineSpec) -> None:
        """Write down what the machine shall be made of: the first step of making it."""
        self._write("draft.json", _SPEC.dump_json(spec, indent=2))

    def forget_draft(self) -> None:
        """Remove what was written down first; there is a spec now."""
        (self.path / "draft.json").unlink(missing_ok=True)

    def parts(self) -> Parts:
        """Return what runs the machine."""
        return _PARTS.validate_json((self.path / "parts.json").read_bytes())

    def set_parts(self, parts: Parts) -> None:
        """Write down what runs the machine."""
        self._write("parts.json", _PARTS.dump_json(parts, indent=2))

    def set_firmware(self, script: str) -> None:
        """Write the program that starts the machine."""
        self._write("firmware", script.encode(), mode=0o700)

    def boot_settings(self) -> BootSettings:
        """Return what the firmware has been told."""
        try:
            return _BOOT.validate_json((self.path / "boot.json").read_bytes())
        except FileNotFoundError:
            return BootSettings()

    def change_boot_settings(
        self, change: Callable[[BootSettings], BootSettings]
    ) -> tuple[BootSettings, BootSettings]:
        """Change what the firmware has been told; return it as it was, and as it is."""
        with self._locked():
            before = self.boot_settings()
            after = change(before)
            if after != before:
                self._write("boot.json", _BOOT.dump_json(after, indent=2))
        return before, after

    def take_boot_settings(self) -> BootSettings:
        """Return what the firmware has been told, and forget the one-time boot device."""
        before, _ = self.change_boot_settings(lambda settings: replace(settings, once=None))
        return before

    def activity(self) -> str:
        """Return what the machine is doing."""
        try:
            return (self.path / "activity").read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def set_activity(self, words: str, source: BootSource | None = None) -> None:
        """Say what the machine is doing, and from where it boots."""
        text = f"{source}: {words}" if source else words
        self._write("activity", text.encode())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make, power or remove the machine with nobody else doing so meanwhile.

        Raises:
            FileNotFoundError: the folder is not there, or no longer.
        """
        path = self.path / ".held"
        while True:
            with path.open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if _is_at(lock.fileno(), path):  # Else it went with the folder while we waited.
                    yield
                    return

    def _write(self, name: str, content: bytes, *, mode: int = 0o600) -> None:
        fresh = self.path / f".{name}.new"
        fresh.write_bytes(content)
        fresh.chmod(mode)
        fresh.replace(self.path / name)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.path / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def uml_dir(home: Home) -> Path:
    """Return where the kernel puts what others may reach it by; `uml_dir=` of its arguments."""
    digest = hashlib.sha256(os.fsencode(home.path.resolve())).hexdigest()
    return _RUN / f"ingot-{digest[:12]}"


def media_unit(spec: MachineSpec) -> int:
    """Return the number of the block device that is the virtual drive, after all others."""
    return len(spec.disks) + len(spec.drives)


def soft_off_is_due(home: Home) -> bool:
    """Tell whether a start is in truth the end of a soft power-off: the button was just pressed."""
    with suppress(FileNotFoundError):
        return abs(time.time() - home.soft_off.stat().st_mtime) <= SOFT_OFF_SECONDS
    return False


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False
