"""Booting from virtual media: kernel, ramdisk and arguments that an ISO's boot loader names.

The layout is that of the ISOs which Ironic makes: ISOLINUX in /isolinux for legacy boot, and GRUB
for UEFI, whose configuration is in /EFI/BOOT unless Ironic was told another place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingot.machine.firmware.kernelfile import check_kernel
from ingot.machine.firmware.loaderconfig import grub, isolinux
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.model import BootMode, BootSource
from ingot.process import CommandFailed, run

__all__ = ["media_target"]

ISOLINUX_PLACES = ("/isolinux/isolinux.cfg", "/boot/isolinux/isolinux.cfg", "/isolinux.cfg")
GRUB_PLACES = ("/EFI/BOOT/grub.cfg", "/boot/grub/grub.cfg", "/boot/grub2/grub.cfg")
GRUB_NAME = "/grub.cfg"
MAGIC_AT, MAGIC = 32769, b"CD001"
"""The mark of an ISO 9660 file system, in its first volume descriptor."""


def media_target(
    image: Path | None,
    mode: BootMode,
    *,
    source: BootSource = BootSource.MEDIA,
    fresh: Callable[[str], Path],
    say: Callable[[str], None],
) -> Target:
    """Return what an ISO boots.

    Args:
        image: its file, where one is inserted.
        mode: which of its boot loaders counts.
        source: where it came from.
        fresh: gives paths for files taken from it.
        say: told each step.

    Raises:
        NotBootable: saying why it boots nothing.
    """
    if image is None:
        raise NotBootable("no medium is inserted")
    if not image.exists():
        raise NotBootable(f"the medium {image.name} is gone")
    _check_is_iso(image)
    say(f"medium {image.name} is inserted")
    disc = _Disc(image, _files(image))
    if mode is BootMode.LEGACY:
        places = [place for place in ISOLINUX_PLACES if place in disc.files]
        loader, read = "ISOLINUX", isolinux
    else:
        others = sorted(path for path in disc.files if path.endswith(GRUB_NAME))
        places = [place for place in (*GRUB_PLACES, *others) if place in disc.files]
        loader, read = "GRUB", grub
    if not places:
        raise NotBootable(
            f"{image.name} has no {loader}, so it cannot be booted in {mode} mode",
            remedy="make the ISO for this boot mode, or change the machine's",
        )
    config = disc.taken(places[0], fresh("loader.cfg"))
    loaded = read(config.read_text(encoding="utf-8", errors="replace"))
    if loaded is None:
        raise NotBootable(f"{image.name}: {places[0]} names no kernel")
    say(f"{loader}: {places[0]} loads {' '.join((loaded.kernel, *loaded.initrds))}")
    kernel = disc.taken(loaded.kernel, fresh("kernel"))
    check_kernel(kernel, f"{image.name}: {loaded.kernel}")
    return Target(
        source=source,
        kernel=kernel,
        initrds=tuple(disc.taken(path, fresh("initrd")) for path in loaded.initrds),
        arguments=loaded.arguments,
    )


@dataclass(frozen=True, slots=True)
class _Disc:
    image: Path
    files: frozenset[str]

    def taken(self, path: str, target: Path) -> Path:
        """Copy a file out, under another name."""
        path = f"/{path.lstrip('/')}"
        if path not in self.files:
            raise NotBootable(f"{self.image.name} has no {path}")
        try:
            _xorriso(self.image, "-osirrox", "on", "-extract", path, str(target))
        except CommandFailed as failed:
            raise NotBootable(f"{self.image.name} is damaged: cannot read {path}") from failed
        target.chmod(0o600)
        return target


def _check_is_iso(image: Path) -> None:
    with image.open("rb") as file:
        file.seek(MAGIC_AT)
        if file.read(len(MAGIC)) != MAGIC:
            raise NotBootable(f"{image.name} is no ISO")


def _files(image: Path) -> frozenset[str]:
    listed = _xorriso(image, "-find", "/", "-type", "f")
    return frozenset(line.strip("'") for line in listed.splitlines())


def _xorriso(image: Path, *words: str) -> str:
    return run(["xorriso", "-report_about", "WARNING", "-indev", f"stdio:{image}", *words])
