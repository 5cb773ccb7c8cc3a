"""The last step: the firmware becomes the kernel, in the same process.

The command line has three parts: the machine's hardware, what is true for every lab kernel, and
the arguments that came with the boot. The kernel reads the whole line for its hardware, so what
looks like hardware in the last part is left out: an `initrd=` there is the name a ramdisk had on
some server, and `mem=` is not a guest's to decide.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.home import Home, Parts, media_unit, uml_dir
from ingot.machine.model import MachineSpec

__all__ = ["CommandLine", "become", "command_line", "environment", "joined_initrd"]

SHIM_VARIABLES = ("LD_PRELOAD", "INGOT_FAULTS")

MOST_CHARACTERS = 2048
"""COMMAND_LINE_SIZE of the kernel for this architecture, with the byte that ends it."""

ALWAYS = (
    "seccomp=on",
    # Drivers that are built in make a card of their own, which no server has.
    "bonding.max_bonds=0",
    "dummy.numdummies=0",
)

_HARDWARE = re.compile(
    r"(mem|iomem|initrd|umid|uml_dir|seccomp|mconsole|xterm|hostfs|con\d*|ssl\d*|ubd\w*)="
    r"|vec\d+:|ssl-non-raw$|udb$|fake_ide$|noreboot$|--"
)
"""What this kernel takes for itself wherever it stands: see its `--help`."""

_KEPT_OUT = re.compile(r"(mem|initrd|umid|uml_dir|seccomp)=")
"""What it takes and does not count as its command line."""

ADDED = ("root=98:0", "console=tty0")
"""What it adds at the end, where nothing says otherwise."""

_SERIAL = re.compile(r"console=ttyS(\d+)(?:,.*)?")

_SPLITS_FILES = re.compile(r"[,:\s]")
"""What ends the name of a file in a `ubd` argument."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The words for the kernel.

    Attributes:
        words: without the name of the program.
        dropped: arguments of the boot that were left out.
    """

    words: tuple[str, ...]
    dropped: tuple[str, ...]


def command_line(
    home: Home,
    spec: MachineSpec,
    target: Target,
    *,
    initrd: Path | None,
    media: Path | None,
) -> CommandLine:
    """Return the words that make the kernel run a target on this machine.

    Raises:
        NotBootable: the kernel could not take them all.
    """
    disks = [
        f"ubd{number}={_plain(_near(home, home.disk(number)))},,{_plain(disk.serial)}"
        for number, disk in enumerate(spec.disks)
    ]
    drives = [
        f"ubd{number}r={_plain(path)}"
        for number, path in enumerate(spec.drives, start=len(spec.disks))
    ]
    if media:
        drives.append(f"ubd{media_unit(spec)}r={_plain(media)}")
    cards = [
        f"vec{number}:transport=tap,ifname={nic.port},depth=128,gro=1,mac={nic.mac}"
        for number, nic in enumerate(spec.nics)
    ]
    dropped = tuple(word for word in target.arguments if _HARDWARE.match(word))
    words = (
        f"mem={spec.memory_mib}M",
        *disks,
        *drives,
        *cards,
        f"umid={home.path.name}",
        f"uml_dir={uml_dir(home)}",
        *ALWAYS,
        *_consoles(target.arguments),
        *([f"initrd={_near(home, initrd)}"] if initrd else []),
        *(word for word in target.arguments if word not in dropped),
    )
    length = len(" ".join((*(word for word in words if not _KEPT_OUT.match(word)), *ADDED)))
    if length >= MOST_CHARACTERS:
        raise NotBootable(
            f"the command line has {length} characters, and the kernel takes {MOST_CHARACTERS - 1}",
            remedy="shorten the kernel arguments of this boot",
        )
    return CommandLine(words, dropped)


def _consoles(arguments: Iterable[str]) -> tuple[str, ...]:
    """Return what makes the console of the kernel's choice the one that is recorded.

    That is the serial line that its arguments name, as of any server, and else the screen. Only one
    of the two, or each line would be there twice.
    """
    lines = [word for word in map(_SERIAL.fullmatch, arguments) if word]
    chosen = f"ssl{lines[-1][1]}" if lines else "con0"
    return "con=null", "ssl=null", f"{chosen}=null,fd:1"


def _near(home: Home, path: Path) -> Path:
    """Return a path as seen from the machine's folder: a command line has little room."""
    return path.relative_to(home.path) if path.is_relative_to(home.path) else path


def _plain(word: Path | str) -> str:
    if _SPLITS_FILES.search(str(word)):
        raise NotBootable(
            f"{str(word)!r} cannot be attached: the kernel splits it at comma, colon and space",
            remedy="rename it",
        )
    return str(word)


def joined_initrd(initrds: Iterable[Path], target: Path) -> Path | None:
    """Return all ramdisks as one file, each starting at a multiple of four bytes, as cpio wants."""
    every = tuple(initrds)
    if len(every) <= 1:
        return every[0] if every else None
    with target.open("wb") as whole:
        for part in every:
            whole.write(bytes(-whole.tell() % 4))
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole, 1 << 20)
    return target


def environment(home: Home, parts: Parts, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the kernel's environment: ours, with the fault shim where there is one."""
    shim = {"LD_PRELOAD": str(parts.shim), "INGOT_FAULTS": str(home.faults)} if parts.shim else {}
    # Ours may be that of the kernel before, with a shim that is no longer wanted.
    plain = {name: value for name, value in ours.items() if name not in SHIM_VARIABLES}
    return {**plain, **shim}


def become(home: Home, parts: Parts, kernel: Path, words: Iterable[str]) -> None:
    """Start the kernel in our place. It starts us over when it is reset, by its own name."""
    _clear_umid(home)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not os.access(kernel, os.X_OK):
        kernel.chmod(0o755)
    os.chdir(home.path)
    name = str(home.firmware)
    os.execve(kernel, [name, *words], environment(home, parts, os.environ))  # noqa: S606 - that is the point


def _clear_umid(home: Home) -> None:
    # A machine that lost its power leaves its entry there, with a process number that may by now
    # be another's; the kernel would then refuse the name.
    folder = uml_dir(home)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / home.path.name, ignore_errors=True)
