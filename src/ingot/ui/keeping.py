"""Files of the wizard: the answers kept between two runs, and the install-config itself.

Both may hold a BMC's password, so only their owner can read them. Both are replaced in one step, so
that a crash or a full disk leaves the old file and never half of a new one.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from ingot.config.draft import Draft
from ingot.errors import IngotError

__all__ = ["forget", "keep", "kept", "path_of", "write"]


def path_of(directory: Path) -> Path:
    """Return where the answers of a directory are kept."""
    return directory / ".ingot" / "wizard.json"


def keep(directory: Path, draft: Draft) -> None:
    """Keep the answers for another run."""
    path = path_of(directory)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
    except OSError as refused:
        raise _unwritable(path.parent, refused) from refused
    write(path, draft.as_json())


def kept(directory: Path) -> Draft | None:
    """Return the answers of an earlier run, if it left any.

    What cannot be read is put aside under another name, not overwritten.
    """
    path = path_of(directory)
    try:
        draft = Draft.from_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as refused:
        raise IngotError(
            f"{path} cannot be read: {refused.strerror}", remedy="make it yours, or remove it"
        ) from refused
    except ValueError:
        path.replace(path.with_suffix(".unreadable"))
        return None
    return None if draft == Draft() else draft


def forget(directory: Path) -> None:
    """Remove the kept answers."""
    path_of(directory).unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as refused:
        raise _unwritable(path, refused) from refused
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as failed:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(failed, OSError):
            raise _unwritable(path, failed) from failed
        raise


def _unwritable(path: Path, refused: OSError) -> IngotError:
    return IngotError(
        f"{path} cannot be written: {refused.strerror}",
        remedy="choose a directory of your own with --dir, or make room",
    )
