"""Making an install directory as it was before: what the user wrote stays, what we made goes.

Keys and kubeconfig go too. They open nothing any more, whoever finds them may take them for those
of the next cluster, and a key that is not there cannot be lost.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from ingot.assets.graph.files import Digest, Files, digest_of
from ingot.assets.graph.state import State
from ingot.installer.addedservers import FILE as ADDED
from ingot.installer.directory import InstallDirectory

__all__ = ["Forgotten", "forget", "sorted_out"]

MADE = ("state", "staging", "machines", "wipe", "report.json", ADDED)
"""Of `.ingot`, what belongs to one cluster; its log stays."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of the files of an install.

    Attributes:
        removed: those that we had written.
        kept: those that the user had changed since.
    """

    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def sorted_out(left: Mapping[str, frozenset[Digest]], found: Files) -> Forgotten:
    """Tell which files are ours to remove: those that are as we left them."""
    ours = [path for path, content in found.items() if digest_of(content) in left.get(path, ())]
    kept = [path for path in found if path in left and path not in ours]
    return Forgotten(tuple(sorted(ours)), tuple(sorted(kept)))


def forget(directory: InstallDirectory, state: State) -> Forgotten:
    """Remove what was made in a directory; the journal last, so that it can be gone on with.

    Raises:
        DirectoryUnusable: a file cannot be read.
    """
    outcome = sorted_out(state.left, directory.found(state.left))
    for name in outcome.removed:
        (directory.path / name).unlink(missing_ok=True)
    for folder in {(directory.path / name).parent for name in outcome.removed}:
        if folder != directory.path:
            with suppress(OSError):  # Something of the user's is in it.
                folder.rmdir()
    for name in MADE:
        path = directory.hidden / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    directory.journal.unlink(missing_ok=True)
    return outcome
