"""Booting from a disk: the entries of its boot loader, with a kernel from there or the lab's own.

Images for the lab have no kernel, and so name none. Images for real servers have one that cannot
run here; that is said, instead of starting another one on a root that was not made for it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ingot.machine.firmware.fat import Fat
from ingot.machine.firmware.gpt import esp_offset
from ingot.machine.firmware.kernelfile import check_kernel
from ingot.machine.firmware.loaderentry import Entry, chosen, default_pattern
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.model import BootSource

__all__ = ["disk_target"]

FOLDER = "/loader/entries"


def disk_target(
    disk: Path,
    *,
    kernel: Path,
    fresh: Callable[[str], Path],
    say: Callable[[str], None],
) -> Target:
    """Return what a disk boots.

    Args:
        disk: its file.
        kernel: the kernel for entries that name none.
        fresh: gives paths for files taken from the disk.
        say: told each step.

    Raises:
        NotBootable: saying why it boots nothing.
    """
    files = Fat(disk, esp_offset(disk))
    pattern = default_pattern(files.text("/loader/loader.conf") or "")
    name = chosen(files.names(FOLDER), pattern)
    text = files.text(f"{FOLDER}/{name}") if name else None
    if not name or text is None:
        raise NotBootable(f"{disk.name} has no boot loader entries")
    entry = Entry.parse(text)
    say(f"{disk.name}: boot loader entry {name}" + (f" ({entry.title})" if entry.title else ""))
    own = files.copy(entry.kernel, fresh("kernel")) if entry.kernel else None
    if own:
        check_kernel(own, f"{disk.name}: {entry.kernel}")
    return Target(
        source=BootSource.DISK,
        kernel=own or kernel,
        initrds=tuple(files.copy(path, fresh("initrd")) for path in entry.initrds),
        arguments=entry.options,
    )
