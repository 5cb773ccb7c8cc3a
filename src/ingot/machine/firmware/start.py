"""From power to kernel: what is tried, in which order, and what happens when nothing boots."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import time
from dataclasses import dataclass

from ingot.errors import IngotError
from ingot.machine.firmware.console import Console
from ingot.machine.firmware.disk import disk_target
from ingot.machine.firmware.download import Downloads
from ingot.machine.firmware.handover import become, command_line, joined_initrd
from ingot.machine.firmware.ipxe.outcome import Boot, Exit, Outcome, PowerOff, Reset, Stuck
from ingot.machine.firmware.media import media_target
from ingot.machine.firmware.processor import keep_to_one_processor
from ingot.machine.firmware.pxe import NetworkBoot
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.firmware.timing import Timing
from ingot.machine.home import Home, Parts, soft_off_is_due
from ingot.machine.model import BootSettings, BootSource, MachineSpec

__all__ = ["power_on"]

MOST_DESCRIPTORS = 1 << 20
"""What Linux allows a process where nothing else limits it."""


def power_on(home: Home, timing: Timing | None = None) -> None:
    """Boot the machine. Returns where that powers it off; else it becomes the kernel or hangs."""
    _start_clean()
    keep_to_one_processor()
    console = Console(home)
    if soft_off_is_due(home):
        home.soft_off.unlink(missing_ok=True)
        console.banner("power button was pressed: power off")
        console.doing("off")
        return
    home.soft_off.unlink(missing_ok=True)
    firmware = _Firmware(
        home=home,
        spec=home.spec(),
        parts=home.parts(),
        settings=home.take_boot_settings(),
        console=console,
        downloads=Downloads(home.path / "boot", console.say),
        timing=timing or Timing(),
    )
    firmware.downloads.stall = firmware.timing.stall
    firmware.run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Firmware:
    home: Home
    spec: MachineSpec
    parts: Parts
    settings: BootSettings
    console: Console
    downloads: Downloads
    timing: Timing

    def run(self) -> None:
        say = self.console.say
        self.console.banner(
            f"{self.spec.name}: {self.spec.memory_mib} MiB memory, {len(self.spec.disks)} disks, "
            f"{len(self.spec.nics)} cards, {self.settings.mode} boot"
        )
        self.downloads.clear()
        once = self.settings.once
        order = (once,) if once else self.settings.order
        say(f"boot {'once from' if once else 'order'}: {', '.join(order)}")
        for source in order:
            say(f"{source}: trying to boot")
            try:
                outcome = self._outcome(source)
                if isinstance(outcome, Boot):
                    self._hand_over(outcome.target)
            except (IngotError, OSError) as failed:
                say(f"{source}: {failed}")
                continue
            if not isinstance(outcome, Exit):
                self._end(outcome)
                return
            say(f"{source}: iPXE exits with {outcome.code}")
        self.console.doing("no bootable device")
        say("No bootable device")
        _hang()

    def _outcome(self, source: BootSource) -> Outcome:
        match source:
            case BootSource.NETWORK:
                return NetworkBoot(
                    home=self.home,
                    spec=self.spec,
                    parts=self.parts,
                    mode=self.settings.mode,
                    console=self.console,
                    downloads=self.downloads,
                    timing=self.timing,
                ).outcome()
            case BootSource.MEDIA:
                self.console.doing("reading the medium", source)
                return Boot(
                    media_target(
                        self.settings.media,
                        self.settings.mode,
                        fresh=self.downloads.fresh,
                        say=self.console.say,
                    )
                )
            case BootSource.DISK:
                if not self.spec.disks:
                    raise NotBootable("there is no disk")
                self.console.doing("reading the disk", source)
                return Boot(
                    disk_target(
                        self.home.disk(0),
                        kernel=self.parts.kernel,
                        fresh=self.downloads.fresh,
                        say=self.console.say,
                    )
                )

    def _hand_over(self, target: Target) -> None:
        media = self.settings.media
        line = command_line(
            self.home,
            self.spec,
            target,
            initrd=joined_initrd(target.initrds, self.downloads.folder / "initrd"),
            media=media if media and media.exists() else None,
        )
        if line.dropped:
            self.console.say(f"kernel arguments left out: {' '.join(line.dropped)}")
        self.console.say(f"kernel arguments: {' '.join(line.words)}")
        self.console.doing("kernel started", target.source)
        become(self.home, self.parts, target.kernel, line.words)

    def _end(self, outcome: Outcome) -> None:
        match outcome:
            case PowerOff():
                self.console.say("power off")
                self.console.doing("off")
            case Reset():
                self.console.say("reset")
                self.console.doing("reset")
                time.sleep(self.timing.reset)
                os.execv(self.home.firmware, [str(self.home.firmware)])  # noqa: S606 - the next start
            case Stuck(why=why):
                self.console.say(why)
                self.console.doing(why)
                _hang()


def _start_clean() -> None:
    """Undo what a kernel that was reset leaves to us, in the process that was its own."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(3, MOST_DESCRIPTORS if most == resource.RLIM_INFINITY else most)
    for descriptor in (0, 1, 2):
        # The kernel wanted signals when it could write there; they would end us.
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags & ~(os.O_NONBLOCK | os.O_ASYNC))
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _hang() -> None:
    """Stay on, at no cost, until the power is cut."""
    while True:
        signal.pause()
