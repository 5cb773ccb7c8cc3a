"""Where results are kept: one folder a key, whole or not there at all.

* A result is built in a work folder and moved into place by one rename, so a killed build leaves
  nothing that looks finished.
* Each result carries a manifest with the size and digest of every file. Sizes are compared
  whenever a result is used, so a truncated file is noticed, and the result built again.
* A lock a key serialises two builds of the same thing; the second then finds it made.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from ingot.artefact.recipe import Key, Recipe
from ingot.errors import ExitCode, IngotError

__all__ = ["Artefact", "FileFacts", "Store", "StoreUnusable", "default_root", "file_digest"]

MANIFEST = "manifest.json"
LAYOUT = "v1"

GENERATIONS = 2
"""How many results of one name are kept: the present one, and the one before a change."""


class StoreUnusable(IngotError):  # noqa: N818 - it says what was seen
    """The store's folder cannot be written."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a result's manifest holds of one file."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Artefact:
    """A result in the store."""

    name: str
    key: Key
    path: Path
    files: dict[str, FileFacts]
    inputs: dict[str, str]
    seconds: float
    """How long it took to build."""

    @property
    def size(self) -> int:
        """All its files together, in bytes."""
        return sum(facts.size for facts in self.files.values())

    @property
    def digest(self) -> str:
        """One digest over all its files: equal for equal results."""
        lines = (f"{name}\0{facts.sha256}\0" for name, facts in sorted(self.files.items()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def default_root() -> Path:
    """Return the folder that holds the store: INGOT_CACHE, or `ingot` in the user's cache."""
    if chosen := os.environ.get("INGOT_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ingot"


def file_digest(path: Path) -> str:
    """Return a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Store:
    """The results under one folder."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or default_root()) / LAYOUT
        self.results = self.root / "results"
        self.work = self.root / "work"
        self.locks = self.root / "locks"
        self.downloads = self.root / "downloads"
        """Files fetched from outside, by their digest or version: inputs, not results."""

    def prepare(self) -> None:
        """Make the store's folders.

        Raises:
            StoreUnusable: they cannot be made or written.
        """
        try:
            for folder in (self.results, self.work, self.locks, self.downloads):
                folder.mkdir(parents=True, exist_ok=True)
            probe = self.work / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as refused:
            raise StoreUnusable(
                f"the cache {self.root} cannot be written: {refused.strerror}",
                remedy="make it writable, or set INGOT_CACHE to another folder",
            ) from refused

    def find(self, recipe: Recipe) -> Artefact | None:
        """Return the result of a recipe, if it is there and whole."""
        return self._load(self.results / recipe.label, recipe.key)

    def _load(self, path: Path, key: Key | None = None) -> Artefact | None:
        try:
            manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
            files = {name: FileFacts(**facts) for name, facts in manifest["files"].items()}
            artefact = Artefact(
                name=manifest["name"],
                key=manifest["key"],
                path=path,
                files=files,
                inputs=manifest["inputs"],
                seconds=manifest["seconds"],
            )
            whole = all(
                (path / name).lstat().st_size == facts.size for name, facts in files.items()
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return artefact if whole and key in (None, artefact.key) else None

    def everything(self) -> list[Artefact]:
        """Return every whole result."""
        if not self.results.is_dir():
            return []
        found = (self._load(path) for path in sorted(self.results.iterdir()))
        return [artefact for artefact in found if artefact is not None]

    def keep(self, recipe: Recipe, built: Path, seconds: float) -> Artefact:
        """Move a built folder into its place, whole, and return it as a result."""
        files = {
            path.relative_to(built).as_posix(): FileFacts(path.stat().st_size, file_digest(path))
            for path in sorted(built.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        manifest = {
            "name": recipe.name,
            "key": recipe.key,
            "inputs": dict(recipe.inputs),
            "files": {name: asdict(facts) for name, facts in files.items()},
            "seconds": round(seconds, 1),
        }
        (built / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        _sync(built)
        place = self.results / recipe.label
        if place.exists():  # a result that was not whole
            shutil.rmtree(place)
        built.rename(place)
        self._forget_older(recipe.name)
        kept = self._load(place, recipe.key)
        if kept is None:
            raise StoreUnusable(
                f"{place} is not what was just written", remedy="check the disk, then run it again"
            )
        return kept

    def _forget_older(self, name: str) -> None:
        """Remove all but the newest results of a name: images are gigabytes, and change often."""
        same = [artefact.path for artefact in self.everything() if artefact.name == name]
        same.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in same[GENERATIONS:]:
            self._remove_unless_locked(path)

    def verify(self, artefact: Artefact) -> list[str]:
        """Return the files of a result whose content is not what its manifest says."""
        return [
            name
            for name, facts in artefact.files.items()
            if not (artefact.path / name).is_file()
            or file_digest(artefact.path / name) != facts.sha256
        ]

    @contextmanager
    def lock(self, recipe: Recipe, on_wait: Callable[[], None]) -> Iterator[None]:
        """Hold the right to build a recipe; `on_wait` is called once if someone else holds it."""
        with (self.locks / f"{recipe.label}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def prune(self, keep: set[Key]) -> tuple[int, int]:
        """Remove results that are not to be kept and what killed builds left.

        Returns:
            How many folders were removed, and how many bytes they held.
        """
        removed = freed = 0
        for folder in (self.results, self.work):
            for path in sorted(folder.iterdir()) if folder.is_dir() else []:
                artefact = self._load(path)
                if folder is self.results and artefact is not None and artefact.key in keep:
                    continue
                size = _size_of(path)
                if self._remove_unless_locked(path):
                    freed += size
                    removed += 1
        return removed, freed

    def _remove_unless_locked(self, path: Path) -> bool:
        """Remove a folder, and tell whether it went: one that is being built stays."""
        with (self.locks / f"{path.name}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            _remove(path)
            return True


def _size_of(path: Path) -> int:
    entries = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
    return sum(entry.lstat().st_blocks * 512 for entry in entries)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _sync(folder: Path) -> None:
    """Bring everything in a folder to the disk, so that a rename never names half a result."""
    for path in [*folder.rglob("*"), folder]:
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            continue
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
