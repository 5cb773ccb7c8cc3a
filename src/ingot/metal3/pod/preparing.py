"""What is done before the pod's programs start: files, folders, boot files, an empty database.

It runs whenever the pod begins anew, also after its machine was switched off in the middle of
something. Nothing that Ironic made before is kept then: its database is made afresh, and what the
hosts are is read from the cluster again.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.ironic.access import Credentials
from ingot.ironic.conf.dnsmasq import ROMS
from ingot.ironic.conf.ironic import HTML, RAMDISK, TFTP
from ingot.metal3.pod import places
from ingot.metal3.pod.htpasswd import users
from ingot.metal3.pod.interface import await_interface
from ingot.metal3.pod.rendering import Machine, rendered
from ingot.metal3.pod.settings import read
from ingot.process import run

__all__ = ["MissingFileError", "furnish", "prepare"]

log = logging.getLogger(__name__)

IPV6: Final = Path("/proc/net/if_inet6")
"""There where the kernel has IPv6."""
SECRET: Final = 0o600
PUBLIC: Final = 0o644


class MissingFileError(IngotError):
    """A file that the pod is given is not there."""

    exit_code = ExitCode.INFRASTRUCTURE


def prepare() -> None:
    """Make everything ready for the pod's other containers.

    Raises:
        IngotError: something that it is given is missing or wrong.
    """
    given = Path(places.GIVEN)
    settings = read(given / "settings.json")
    machine = Machine(interface=await_interface(settings), ipv6=IPV6.exists())
    log.info(
        "provisioning network: %s, on %s, at %s",
        settings.mode,
        machine.interface or "no card of its own",
        settings.provisioning_ip,
    )
    files = rendered(
        settings,
        machine,
        ca=_content(given / "ca.crt"),
        htpasswd=users(Credentials.read(given)),
    )
    furnish(files, root=Path("/"))
    run(["ironic-dbsync", "--config-file", str(places.IRONIC_CONF), "create_schema"])
    log.info("Ironic has an empty database")


def furnish(files: Mapping[PurePosixPath, str], *, root: Path) -> None:
    """Write files below a root, and put everything there that hosts boot.

    Raises:
        MissingFileError: the media, or a file of the image, is not there.
    """
    _forget(root)
    for folder in places.FOLDERS:
        _at(root, folder).mkdir(parents=True, exist_ok=True)
    for place, text in files.items():
        _write(_at(root, place), text, SECRET if place.is_relative_to(places.CONF) else PUBLIC)
    for name, rom in ROMS.items():
        _copy(_at(root, rom), _at(root, TFTP / name))
    for name in places.RAMDISK_FILES:
        _copy(_at(root, places.IMAGES / name), _at(root, RAMDISK / name))


def _forget(root: Path) -> None:
    """Remove what an Ironic before this one has made: it would boot hosts for nobody."""
    html = _at(root, HTML)
    old = [path for path in _listed(html) if path != _at(root, places.IMAGES)]
    old += _listed(_at(root, places.WORK)) + _listed(_at(root, places.DATABASE.parent))
    for path in old:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _listed(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _write(path: Path, text: str, mode: int) -> None:
    # Never readable by others, not even for the moment before its mode is set.
    path.unlink(missing_ok=True)
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(made, "w", encoding="utf-8") as file:
        file.write(text)


def _copy(source: Path, target: Path) -> None:
    """Copy a file; hosts that are fetching the one before it go on doing so."""
    fresh = target.with_name(f".{target.name}")
    try:
        shutil.copyfile(source, fresh)
    except OSError as error:
        raise MissingFileError(
            f"{source} cannot be copied: {error.strerror}",
            remedy="see that the media with the images is there, and that there is room",
        ) from error
    fresh.chmod(PUBLIC)
    fresh.rename(target)


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise MissingFileError(
            f"{path} cannot be read: {error.strerror}",
            remedy="put the certificate of the CA there that signed Ironic's",
        ) from error


def _at(root: Path, place: PurePosixPath) -> Path:
    return root / place.relative_to("/")
