"""The root of the metal3 image, and programs that run in it, on a network of one's choice."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.debianlayers import metal3_root
from ingot.payload.pythontree import TREE, ironic_tree


def unpacked_root(folder: Path) -> Path:
    """Return the root of the metal3 image."""
    base, tree = metal3_root(), ironic_tree()
    made = {one.artefact.key: one.artefact.path for one in make(Store(), [base, tree], Silent())}
    root = folder / "root"
    root.mkdir()
    for tar in (made[base.key] / "root.tar", made[tree.key] / TREE):
        subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    for made_folder in ("shared/html/images", "shared/log", "shared/tftp", "var/lib/ironic"):
        (root / made_folder).mkdir(parents=True)
    return root


def inside(root: Path, *command: str, namespace: str | None = None) -> list[str]:
    """Return a command that runs in the root; its mounts go with it.

    Args:
        root: the root.
        command: the program in there, and its arguments.
        namespace: the network that it is on; None: that of this machine.
    """
    mounts = (
        f'mount -t proc proc "{root}/proc" && mount --bind /dev "{root}/dev"'
        f' && exec chroot "{root}" "$@"'
    )
    network = ["ip", "netns", "exec", namespace] if namespace else []
    return [*network, "unshare", "--mount", "sh", "-c", mounts, "sh", *command]


def started(command: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it has started: as hard as a power failure."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def program(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the end of the block."""
    with log.open("ab") as file:
        process = started(command, file)
    try:
        yield process
    finally:
        kill(process)
