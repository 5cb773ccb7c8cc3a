"""Machines of User-Mode Linux behind the door that all drivers have.

A machine is a folder, and while it is powered one process: the firmware, which becomes the kernel,
which becomes the firmware again when the guest reboots. So nothing has to watch it. Whoever powers
it may be killed; any other driver object on the same folder finds it by what is written down there.

The network namespace of a caller is that of the bridges and of the machines' ports.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ingot.machine.driver import MachineError, NoSuchMachine
from ingot.machine.home import Home, Parts, media_unit, uml_dir
from ingot.machine.model import BootSettings, MachineSpec, Power
from ingot.machine.uml.console import recorded_console
from ingot.machine.uml.disks import make_disk
from ingot.machine.uml.mconsole import KernelAbsent, KernelSilent, order
from ingot.machine.uml.media import change_media
from ingot.machine.uml.wiring import connect, disconnect, is_connected

__all__ = ["MachineDiffers", "UmlDriver"]

FIRMWARE = (sys.executable, "-m", "ingot.machine.firmware")

LAUNCHER = """\
#!/bin/sh
# Run when the machine is powered, and by its kernel when that starts over.
ulimit -c 0
unset LD_PRELOAD
cd /
exec {command}
"""
"""A panic aborts, which shall leave no core; and the kernel's faults are not the firmware's."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


class MachineDiffers(MachineError):  # noqa: N818 - it says what was seen
    """A machine of that name exists and is made of something else."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is a machine {name!r} already, and it is made of something else",
            remedy="remove it first, with all that is on its disks, or choose another name",
        )
        self.name = name


class UmlDriver:
    """The machines in one folder.

    Args:
        home: the folder with a folder for each machine.
        kernel: what boots a disk that brings no kernel.
        shim: the library that makes disks and clock misbehave.
        namespace_prefix: what the names of the machines' network namespaces begin with.
        firmware: the program that a machine starts with; it is given the machine's folder.
    """

    def __init__(
        self,
        home: Path,
        *,
        kernel: Path,
        shim: Path | None = None,
        namespace_prefix: str,
        firmware: Sequence[str] = FIRMWARE,
    ) -> None:
        self._home = home.absolute()
        self._kernel = kernel
        self._shim = shim
        self._prefix = namespace_prefix
        self._firmware = tuple(firmware)

    def define(self, spec: MachineSpec) -> None:
        """Make a machine, or finish making it.

        Raises:
            MachineDiffers: there is another of that name.
        """
        home = Home(self._home / _checked(spec.name))
        home.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with home.held():
            if home.exists:
                if home.spec() != spec:
                    raise MachineDiffers(spec.name)
            else:
                self._make_disks(home, spec)
            self._furnish(home, spec)
            home.set_spec(spec)
            home.forget_draft()

    def undefine(self, name: str) -> None:
        """Remove a machine, however much of it there is."""
        home = Home(self._home / _checked(name))
        with ExitStack() as holding:
            try:
                holding.enter_context(home.held())
            except FileNotFoundError:
                disconnect(None, self._namespace(name))
                return
            home.process.stop(grace=0)
            disconnect(home.spec() if home.exists else home.draft(), self._namespace(name))
            shutil.rmtree(uml_dir(home), ignore_errors=True)
            shutil.rmtree(home.path)

    def machines(self) -> tuple[str, ...]:
        """Return the names of all that are completely made."""
        if not self._home.is_dir():
            return ()
        return tuple(path.name for path in sorted(self._home.iterdir()) if Home(path).exists)

    def spec(self, name: str) -> MachineSpec:
        """Return what a machine is made of."""
        return self._found(name).spec()

    def power(self, name: str) -> Power:
        """Return whether its process runs."""
        return Power.OFF if self._found(name).process.pid() is None else Power.ON

    def power_on(self, name: str) -> None:
        """Start its process; however many do so at once, there is one."""
        with self._alone(name) as home:
            if home.process.pid() is None:
                self._start(home)

    def power_off(self, name: str) -> None:
        """Kill its process."""
        with self._alone(name) as home:
            _stop(home)

    def press_power_button(self, name: str) -> None:
        """Ask the guest to start over, and note that the firmware shall power it off then.

        That is all a guest without ACPI can be asked for. While there is no guest, the button
        powers off at once, as that of a PC does.
        """
        home = self._found(name)
        if home.process.pid() is None:
            return
        home.soft_off.touch()
        try:
            order(home.mconsole, "cad")
        except KernelAbsent:
            self.power_off(name)
        except KernelSilent:
            return  # It hangs, and so it does as if the button were not there.

    def reset(self, name: str) -> None:
        """Kill its process and start another."""
        with self._alone(name) as home:
            if home.process.pid() is not None:
                _stop(home)
                self._start(home)

    def boot_settings(self, name: str) -> BootSettings:
        """Return what the firmware has been told."""
        return self._found(name).boot_settings()

    def set_boot_settings(self, name: str, settings: BootSettings) -> None:
        """Tell the firmware, and put the media into the drive of a running guest.

        A guest that has the device open keeps what is in it, until its next start.
        """
        self.change_boot_settings(name, lambda _: settings)

    def change_boot_settings(
        self, name: str, change: Callable[[BootSettings], BootSettings]
    ) -> None:
        """Tell the firmware something else than it has been told."""
        with self._alone(name) as home:
            before, after = home.change_boot_settings(change)
            if before.media != after.media and home.process.pid() is not None:
                change_media(home.mconsole, media_unit(home.spec()), after.media)

    def activity(self, name: str) -> str:
        """Return what the firmware said last, which is what it has started."""
        home = self._found(name)
        return "off" if home.process.pid() is None else home.activity()

    def console(self, name: str) -> Path:
        """Return the console's file."""
        return self._found(name).console

    def _make_disks(self, home: Home, spec: MachineSpec) -> None:
        draft = home.draft()
        if draft != spec:
            disconnect(draft, self._namespace(spec.name))
            for left in home.path.glob("disk*.img"):
                left.unlink()
            home.set_draft(spec)
        for number, disk in enumerate(spec.disks):
            if not home.disk(number).exists():
                make_disk(disk, home.disk(number))

    def _furnish(self, home: Home, spec: MachineSpec) -> None:
        """Give a machine what does not outlive a reboot of this PC, or a new version of us."""
        namespace = self._namespace(spec.name)
        home.set_parts(Parts(kernel=self._kernel, shim=self._shim, namespace=namespace))
        command = shlex.join([*self._firmware, str(home.path)])
        home.set_firmware(LAUNCHER.format(command=command))
        home.console.touch(mode=0o600)
        if not is_connected(spec, namespace):
            connect(spec, namespace)

    def _start(self, home: Home) -> None:
        self._furnish(home, home.spec())
        _forget_last_run(home)
        uml_dir(home).mkdir(mode=0o700)
        home.set_activity("powered on")
        with recorded_console(home.console) as console:
            home.process.start([home.firmware], output=console)

    def _namespace(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    def _found(self, name: str) -> Home:
        home = Home(self._home / _checked(name))
        if not home.exists:
            raise NoSuchMachine(name)
        return home

    @contextmanager
    def _alone(self, name: str) -> Iterator[Home]:
        home = self._found(name)
        with home.held():
            self._found(name)  # It may have been removed while we waited.
            yield home


def _checked(name: str) -> str:
    """Return a name that cannot lead out of the folder of all machines."""
    if not _NAME.fullmatch(name):
        raise NoSuchMachine(name)
    return name


def _stop(home: Home) -> None:
    home.process.stop(grace=0)
    _forget_last_run(home)


def _forget_last_run(home: Home) -> None:
    home.soft_off.unlink(missing_ok=True)
    shutil.rmtree(uml_dir(home), ignore_errors=True)
