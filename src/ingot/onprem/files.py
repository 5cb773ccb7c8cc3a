"""Files that are whole at every moment: written beside their place and moved there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ingot.onprem.problem import UnwritableError

__all__ = ["read_if_there", "write_if_changed"]


def read_if_there(path: Path) -> str | None:
    """Return a file's text, or None where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def write_if_changed(path: Path, text: str, *, mode: int = 0o644) -> bool:
    """Make a regular file say something, and return whether it did not before.

    A link in its place is replaced, not followed: whoever made it no longer owns the file.

    Raises:
        UnwritableError: the folder is missing, full or not ours; the file is as it was.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        if not path.is_symlink() and read_if_there(path) == text:
            return False
        with suppress(FileNotFoundError):
            fresh.unlink()
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise UnwritableError(path, error.strerror or str(error)) from error
    return True
