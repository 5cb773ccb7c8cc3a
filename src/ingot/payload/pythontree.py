"""Python packages as a tree for Debian 13's own Python, each below a folder of its own in /opt.

* What goes in is pinned with hashes by a lock file, and only wheels are taken: nothing is compiled
  or run while it is put together.
* Modules are compiled by the Python that will run them. Their byte code is marked as never to be
  compared with the source, which is faster to start, and the same whenever it is made.
* A command is a small script in /usr/bin that knows its folder. A virtual environment was rejected:
  it brings an interpreter, scripts with its own path in them, and pip.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import ingot
from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe, digest_of
from ingot.debian.tree import EPOCH, pack, unpack
from ingot.errors import IngotError
from ingot.payload import ironicpatch
from ingot.payload.debianlayers import base_root
from ingot.process import MissingProgram

__all__ = ["TREE", "ingot_tree", "ironic_tree"]

TREE = "tree.tar"
PYTHON = "3.13"
"""Debian 13's."""
PLATFORM = "x86_64-manylinux_2_28"
"""A C library that Debian 13's is newer than, and that every project still builds for."""

IRONIC_COMMANDS = {
    "ironic": "ironic.command.singleprocess:main",
    "ironic-api": "ironic.command.api:main",
    "ironic-conductor": "ironic.command.conductor:main",
    "ironic-dbsync": "ironic.command.dbsync:main",
    "ironic-status": "ironic.command.status:main",
}

COMMAND = "ingot-node"
LEFT_OUT = frozenset(
    {
        "__pycache__",
        "agent",
        "artefact",
        "assets",
        "cli",
        "debian",
        "installer",
        "lab",
        "machine",
        "osimage",
        "payload",
        "ui",
    }
)
"""Rooms that no machine of a cluster needs: their changes make no new images."""

NOISE = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json", "uv_cache.json")
"""Notes of the installing program, which differ from run to run."""

DISK_BYTES = 1_500_000_000

SCRIPT = """\
#!/usr/bin/python3 -IB
import sys

sys.path.insert(0, "/{packages}")
from {module} import {function}

sys.exit({function}())
"""


@dataclass(frozen=True, slots=True)
class _Tree:
    """What one tree is made of."""

    name: str
    lock: str
    """The lock file's text."""
    change: Callable[[Path], None] | None = None
    """What is done to the packages once they are there."""

    @property
    def packages(self) -> str:
        """The folder of packages, from the root of the tree."""
        return f"opt/{self.name}/lib"


@cache
def ironic_tree() -> Recipe:
    """Return the recipe of Ironic with all it imports: `tree.tar`."""
    tree = _Tree("ironic", _lock("ironic"), ironicpatch.cheapen_session_key)

    def build(workshop: Workshop) -> None:
        root = _debian(workshop)
        _install(workshop, tree, root)
        _finish(workshop, tree, root, IRONIC_COMMANDS)

    return Recipe(
        "ironic-tree",
        build,
        inputs={
            **_inputs(tree),
            "commands": _said(IRONIC_COMMANDS),
            "change": digest_of(Path(ironicpatch.__file__)),
        },
        needs=(base_root(),),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
        needs_root=True,
    )


def ingot_tree() -> Recipe:
    """Return the recipe of Ingot itself with all it imports: `tree.tar`."""
    tree = _Tree("ingot", _lock("ingot"))
    source = Path(ingot.__file__).parent
    rooms = [path for path in sorted(source.iterdir()) if path.name not in LEFT_OUT]
    commands = {name: target for name, target in _own_commands().items() if name == COMMAND}
    libraries = _libraries(tree)

    def build(workshop: Workshop) -> None:
        root = _debian(workshop)
        unpack(workshop, workshop.need(libraries) / TREE, root)
        packages = root / tree.packages
        _copy(rooms, packages / "ingot")
        _describe(packages, commands)
        _finish(workshop, tree, root, commands, fresh="ingot")

    return Recipe(
        "ingot-tree",
        build,
        inputs={
            "commands": _said(commands),
            "source": " ".join(f"{room.name}={digest_of(room)}" for room in rooms),
        },
        needs=(base_root(), libraries),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
        needs_root=True,
    )


def _copy(rooms: Sequence[Path], target: Path) -> None:
    """Copy rooms of our own; whoever checked them out, all may read them."""
    target.mkdir()
    for room in rooms:
        files = [room] if room.is_file() else [path for path in room.rglob("*") if path.is_file()]
        for file in files:
            if "__pycache__" in file.parts:
                continue
            copy = target / file.relative_to(room.parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            copy.chmod(0o644)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _libraries(tree: _Tree) -> Recipe:
    """Return the recipe of what Ingot imports, which changes less often than Ingot."""

    def build(workshop: Workshop) -> None:
        root = _debian(workshop)
        _install(workshop, tree, root)
        _finish(workshop, tree, root, {})

    return Recipe(
        "ingot-libraries",
        build,
        inputs=_inputs(tree),
        needs=(base_root(),),
        disk_bytes=DISK_BYTES,
        programs={"chroot": "coreutils", "tar": "tar"},
        needs_root=True,
    )


def _lock(name: str) -> str:
    return files("ingot.payload").joinpath("locks", f"{name}.txt").read_text("utf-8")


def _inputs(tree: _Tree) -> dict[str, str]:
    return {
        "lock": tree.lock,
        "platform": PLATFORM,
        "python": PYTHON,
        "way": digest_of(Path(__file__)),
    }


def _said(commands: Mapping[str, str]) -> str:
    return " ".join(f"{name}={target}" for name, target in sorted(commands.items()))


def _own_commands() -> dict[str, str]:
    points = distribution("ingot").entry_points.select(group="console_scripts")
    return {point.name: point.value for point in points}


def _debian(workshop: Workshop) -> Path:
    root = workshop.scratch / "root"
    unpack(workshop, workshop.need(base_root()) / "root.tar", root)
    return root


def _install(workshop: Workshop, tree: _Tree, root: Path) -> None:
    """Put the locked packages into a root, and take out what is never used."""
    lock = workshop.scratch / "lock.txt"
    lock.write_text(tree.lock, encoding="utf-8")
    packages = root / tree.packages
    workshop.run(
        _uv(), "pip", "install", "--no-config", "--no-python-downloads", "--link-mode=copy",
        "--cache-dir", workshop.store.downloads / "uv",
        "--python", sys.executable, "--python-version", PYTHON, "--python-platform", PLATFORM,
        "--target", packages, "--no-deps", "--only-binary=:all:", "--require-hashes",
        "--requirement", lock,
    )  # fmt: skip
    shutil.rmtree(packages / "bin", ignore_errors=True)
    (packages / ".lock").unlink(missing_ok=True)
    for tests in sorted(packages.glob("*/**/tests")):
        if tests.is_dir():
            shutil.rmtree(tests)
    for notes in packages.glob("*.dist-info"):
        for name in NOISE:
            (notes / name).unlink(missing_ok=True)
    if tree.change:
        tree.change(packages)


def _describe(packages: Path, commands: Mapping[str, str]) -> None:
    """Write the metadata by which Python knows a package as installed."""
    notes = packages / f"ingot-{ingot.__version__}.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ingot\nVersion: {ingot.__version__}\n", encoding="utf-8"
    )
    points = "".join(f"{name} = {target}\n" for name, target in sorted(commands.items()))
    (notes / "entry_points.txt").write_text(f"[console_scripts]\n{points}", encoding="utf-8")


def _finish(
    workshop: Workshop, tree: _Tree, root: Path, commands: Mapping[str, str], *, fresh: str = "."
) -> None:
    """Compile what is fresh, add the commands, and pack both."""
    said = workshop.run(
        "chroot", root, "/usr/bin/python3", "-c",
        "import sys; print('%d.%d' % sys.version_info[:2])",
    )  # fmt: skip
    if said.strip() != PYTHON:
        raise IngotError(
            f"Debian's Python is {said.strip()}, and packages are locked for {PYTHON}",
            remedy="write the lock files anew for that version",
        )
    workshop.run(
        "chroot", root, "/usr/bin/python3", "-m", "compileall",
        "-q", "--invalidation-mode", "unchecked-hash", f"/{tree.packages}/{fresh}",
        env={"PYTHONHASHSEED": "0"},
    )  # fmt: skip
    made = workshop.scratch / "tree"
    (made / tree.packages).parent.mkdir(parents=True)
    (root / tree.packages).rename(made / tree.packages)
    scripts = made / "usr/bin"
    scripts.mkdir(parents=True)
    for name, target in commands.items():
        module, _, function = target.partition(":")
        text = SCRIPT.format(packages=tree.packages, module=module, function=function)
        (scripts / name).write_text(text, encoding="utf-8")
        (scripts / name).chmod(0o755)
    _level(made)
    pack(workshop, made, workshop.out / TREE)


def _level(folder: Path) -> None:
    """Give everything the time and modes that do not depend on who made it, and when."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)


def _uv() -> str:
    """Return the program that installs Python packages: it comes with Ingot."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise MissingProgram("not installed: uv", remedy="run `make setup`, or `pip install uv`")
    return found
