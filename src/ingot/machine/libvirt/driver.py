"""Machines by libvirt.

A domain's persistent definition is what the next start needs, and its metadata what we know of it.
So to change something is to define it anew, and, where the machine runs and the change can reach
it, to tell QEMU as well. A one-time boot source is used up by the start or reset that it was for:
right after it, the definition and QEMU have the order back, while the firmware still works by what
it was given at that start. A start that the guest brings about by rebooting is noticed by `guard`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from ingot.background import Background
from ingot.machine.driver import MachineError, NoSuchMachine
from ingot.machine.libvirt.bootindex import order_devices
from ingot.machine.libvirt.domain import Domain, boot_devices, bootable, volume_of
from ingot.machine.libvirt.domains import Domains
from ingot.machine.libvirt.lock import held
from ingot.machine.libvirt.medium import Media
from ingot.machine.libvirt.platform import TRIAL, Accelerator, Platform, platform_of
from ingot.machine.libvirt.pool import Pool
from ingot.machine.libvirt.record import Record
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import BootMode, BootSettings, MachineSpec, Power

__all__ = ["LibvirtDriver"]

IMAGES = PurePosixPath("/var/lib/libvirt/images")
"""Where libvirt's QEMU may read and write on every distribution, whatever confines it."""

NEW = BootSettings(mode=BootMode.UEFI)
"""What a new machine's firmware is told; unlike others, libvirt's machines can have real UEFI."""

NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
"""A DNS label; file names are made of it."""


@dataclass(frozen=True)
class LibvirtDriver:
    """The machines of one owner on one libvirt.

    Attributes:
        uri: which libvirt.
        home: a folder of ours, for locks and for consoles fetched from elsewhere.
        owner: begins the names of domains and is the name of the storage pool, so that several
            labs can share a libvirt.
        emulator: the QEMU to use, by its path where libvirt runs; libvirt's choice without.
        accelerator: what executes instructions; KVM where it is usable without.
        pool_path: the folder of the storage pool where libvirt runs.
        program: virsh, and what goes before its arguments.
    """

    uri: str
    _: KW_ONLY
    home: Path
    owner: str = "ingot"
    emulator: Path | None = None
    accelerator: Accelerator | None = None
    pool_path: PurePosixPath | None = None
    program: tuple[str, ...] = ("virsh",)

    def define(self, spec: MachineSpec) -> None:
        """Make a machine with its disks, powered off; nothing where it exists alike.

        Raises:
            MachineError: there is another machine of that name, or the name is not a DNS label.
        """
        if not NAME.fullmatch(spec.name):
            raise MachineError(
                f"{spec.name!r} cannot be the name of a machine",
                remedy="use lower case letters, digits and hyphens",
            )
        with self._held(spec.name, known=False):
            known = self._domains.find(spec.name)
            if known is None:
                with self._pool.held():
                    self._pool.prepare()
                    platform = self._platform
                    self._add_volumes(spec)
                self._define(Record(spec=spec, platform=platform, boot=NEW))
            elif known.spec != spec:
                raise MachineError(
                    f"there is a machine {spec.name!r} already, made of other parts",
                    remedy="undefine it first",
                )

    def undefine(self, name: str) -> None:
        """Remove a machine and everything that was made for it; nothing where there is none."""
        with self._held(name, known=False):
            if self._domains.find(name) is not None:
                self._domains.stop(name)
                self._virsh("undefine", self._domains.name(name), "--nvram", "--managed-save")
            with self._pool.held():
                self._pool.remove(volume_of(name, ""))
                self._pool.remove_if_empty()
            self._guard(name).stop(grace=0)
            self._fetched_console(name).unlink(missing_ok=True)
            self._lock(name).unlink(missing_ok=True)

    def machines(self) -> tuple[str, ...]:
        """Return the names of all that are defined."""
        return self._domains.machines()

    def spec(self, name: str) -> MachineSpec:
        """Return what a machine is made of."""
        return self._domains.record(name).spec

    def power(self, name: str) -> Power:
        """Return whether a machine is powered."""
        self._domains.record(name)
        return self._domains.power(name)

    def power_on(self, name: str) -> None:
        """Start a machine at its firmware; nothing where it is on."""
        with self._held(name):
            record = self._domains.record(name)
            if self._domains.power(name) is Power.OFF:
                self._domains.start(name)
                self._use_up(record)

    def power_off(self, name: str) -> None:
        """Pull the plug; nothing where it is off. It is off when this returns."""
        with self._held(name):
            self._domains.record(name)
            self._domains.stop(name)

    def press_power_button(self, name: str) -> None:
        """Ask what runs on a machine to power it off, which it may do later, or never."""
        self._domains.record(name)
        if self._domains.power(name) is Power.ON:
            self._domains.ask(name, "shutdown", "--mode", "acpi")

    def reset(self, name: str) -> None:
        """Start a running machine over at its firmware, without asking; nothing where it is off."""
        with self._held(name):
            record = self._domains.record(name)
            if self._domains.power(name) is Power.OFF:
                return
            if _firmware(self._domains.started_as(name)) == _firmware(record):
                self._domains.ask(name, "reset")
            else:  # QEMU cannot take another firmware while it runs.
                self._domains.stop(name)
                self._domains.start(name)
            self._use_up(record)

    def boot_settings(self, name: str) -> BootSettings:
        """Return what the firmware has been told; `once` is gone when it has been used."""
        return self._domains.record(name).boot

    def set_boot_settings(self, name: str, settings: BootSettings) -> None:
        """Tell the firmware. Media is there at once; the rest counts from the next start."""
        self.change_boot_settings(name, lambda _: settings)

    def change_boot_settings(
        self, name: str, change: Callable[[BootSettings], BootSettings]
    ) -> None:
        """Tell the firmware something else than it has been told."""
        with self._held(name):
            before = self._domains.record(name)
            settings = change(before.boot)
            medium = self._media.insert(before, settings.media)
            record = replace(before, boot=settings, medium=medium)
            if record == before:
                return
            self._define(record)
            if self._domains.power(name) is Power.ON:
                self._watch(record)
                self._order(record)
                if medium != before.medium:
                    self._change_medium(record)
            if medium != before.medium:
                self._media.forget_all_but(record)

    def settle(self, name: str) -> None:
        """Take back the one-time boot source, which the guest's own reboot has used."""
        with self._held(name):
            self._take_back(self._domains.record(name))

    def activity(self, name: str) -> str:
        """Return in a few words what a machine is doing, as far as can be seen from outside."""
        self._domains.record(name)
        return self._domains.activity(name)

    def console(self, name: str) -> Path:
        """Return the file that has what the serial console showed.

        With libvirt on another machine it is a copy as of now, made anew by each call. A libvirt
        that is not ours keeps the last eight megabytes, unless its virtlogd is told otherwise.
        """
        self._domains.record(name)
        volume = volume_of(name, "console.log")
        if self._virsh.is_local:
            return Path(self._pool.path / volume)
        copy = self._fetched_console(name)
        copy.touch()  # It is there before the machine was ever started, too.
        with self._pool.held():
            self._pool.fetch(volume, copy)
        return copy

    @cached_property
    def _virsh(self) -> Virsh:
        return Virsh(self.uri, self.program)

    @cached_property
    def _domains(self) -> Domains:
        return Domains(self._virsh, self.owner)

    @cached_property
    def _pool(self) -> Pool:
        path = self.pool_path or IMAGES / self.owner
        lock = self.home / "pool.lock"
        return Pool(virsh=self._virsh, name=self.owner, path=path, lock=lock)

    @cached_property
    def _media(self) -> Media:
        return Media(self._pool)

    @cached_property
    def _platform(self) -> Platform:
        emulator = str(self.emulator) if self.emulator else None
        try:
            return platform_of(
                self._virsh, self._pool.path, emulator=emulator, accelerator=self.accelerator
            )
        finally:
            self._pool.remove(TRIAL)

    def _define(self, record: Record) -> None:
        self._virsh.define(self._domain(record).xml())

    def _domain(self, record: Record) -> Domain:
        return Domain(owner=self.owner, record=record, pool=self._pool.path)

    def _use_up(self, record: Record) -> None:
        """Take back a one-time boot source that the firmware has just been started with."""
        self._guard(record.spec.name).stop(grace=0)
        self._take_back(record)

    def _watch(self, record: Record) -> None:
        """Have it noticed when the guest reboots while there is a one-time boot source."""
        guard = self._guard(record.spec.name)
        guard.stop(grace=0)
        if record.boot.once is not None:
            told = TypeAdapter(LibvirtDriver).dump_json(self).decode()
            program = [sys.executable, "-m", "ingot.machine.libvirt.guard"]
            guard.start([*program, told, record.spec.name], output=subprocess.DEVNULL)

    def _guard(self, name: str) -> Background:
        return Background(self.home / f"{name}.guard.json")

    def _take_back(self, record: Record) -> None:
        if record.boot.once is not None:
            settled = replace(record, boot=replace(record.boot, once=None))
            self._define(settled)
            self._order(settled)

    def _order(self, record: Record) -> None:
        """Tell a running machine what to boot from when it starts over."""
        known = tuple(bootable(record.spec).values())
        order_devices(
            self._virsh, self._domains.name(record.spec.name), boot_devices(record), known
        )

    def _change_medium(self, record: Record) -> None:
        """Show a running machine what is in its drive."""
        drive = self._domain(record).medium_target
        volume = record.medium
        how = ("--update", str(self._pool.path / volume)) if volume else ("--eject",)
        # Forced, because a guest may hold the drive shut, and no BMC asks it.
        self._domains.ask(record.spec.name, "change-media", drive, *how, "--live", "--force")

    def _add_volumes(self, spec: MachineSpec) -> None:
        self._pool.remove(volume_of(spec.name, ""))  # Left by one who was interrupted.
        for number, disk in enumerate(spec.disks):
            volume = volume_of(spec.name, f"disk{number}")
            self._pool.add(volume, disk.size_bytes, disk.image)
        for number, drive in enumerate(spec.drives):
            self._pool.add(volume_of(spec.name, f"drive{number}"), None, drive)

    def _fetched_console(self, name: str) -> Path:
        return self.home / f"{name}.console.log"

    def _lock(self, name: str) -> Path:
        return self.home / f"{name}.lock"

    def _held(self, name: str, *, known: bool = True) -> AbstractContextManager[None]:
        """Keep everybody else of us from changing a machine.

        Args:
            name: the machine.
            known: whether it has to be there.

        Raises:
            NoSuchMachine: it is not, or no machine can be called so.
        """
        if not NAME.fullmatch(name):
            raise NoSuchMachine(name)
        lock = self._lock(name)
        if known and not lock.exists():
            self._domains.record(name)  # So that asking for anything leaves no file behind.
        return held(lock)


def _firmware(record: Record) -> tuple[BootMode, bool]:
    """Return what decides which firmware a machine is started with."""
    return record.boot.mode, record.boot.secure_boot
