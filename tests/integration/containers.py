"""A containerd of a test's own: its store, its socket, its mounts and its processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingot import process

NAMESPACE = "k8s.io"
READY_SECONDS = 60

CONFIG = """\
version = 3
root = '{store}'
state = '{home}/state'
disabled_plugins = {disabled}

[grpc]
address = '{home}/sock'

[ttrpc]
address = '{home}/ttrpc'
"""


KUBELETS = [
    "io.containerd.cri.v1.images",
    "io.containerd.cri.v1.runtime",
    "io.containerd.grpc.v1.cri",
]
OTHERS = ["io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]
"""What writes outside of a store."""


class PrivateContainerd:
    """A running containerd, and the namespaces it runs in."""

    def __init__(self, home: Path, commands: Path, pid: int) -> None:
        self.home = home
        self._commands = commands
        self._pid = pid

    def inside(self, *command: str | Path) -> str:
        """Run a program where containerd's mounts are seen."""
        spaces = ("nsenter", "--target", str(self._pid), "--mount", "--pid", "--")
        return process.run([*spaces, *command])

    def ctr(self, *arguments: str | Path) -> str:
        """Run `ctr`."""
        program = self._commands / "ctr"
        return self.inside(program, "-a", self.home / "sock", "-n", NAMESPACE, *arguments)

    def mount(self, image: str) -> Path:
        """Return an image's root, with the /dev and /proc that a container has."""
        root = self.home / image.replace("/", "_")
        root.mkdir()
        self.ctr("images", "mount", "--rw", image, root)
        self.inside("mount", "--rbind", "/dev", root / "dev")
        self.inside("mount", "-t", "proc", "proc", root / "proc")
        return root

    def answers(self) -> bool:
        try:
            self.ctr("version")
        except process.CommandFailed:
            return False
        return True


@contextmanager
def private_containerd(
    commands: Path, *, store: Path | None = None, for_kubelet: bool = False
) -> Iterator[PrivateContainerd]:
    """Run a containerd; nothing of it is left afterwards.

    Args:
        commands: the folder of `containerd` and `ctr`.
        store: where it keeps images; somewhere of its own by default.
        for_kubelet: whether it answers kubelet too.
    """
    if os.geteuid() != 0:
        pytest.fail("containerd unpacks images only for root: run the tests as root, or with sudo")
    # A socket's path is short, and pytest's folders are long.
    home = Path(tempfile.mkdtemp(prefix="ingot-"))
    disabled = OTHERS if for_kubelet else [*KUBELETS, *OTHERS]
    config = CONFIG.format(home=home, store=store or home / "root", disabled=disabled)
    (home / "config.toml").write_text(config, encoding="utf-8")
    with (home / "log").open("w") as log:
        keeper = subprocess.Popen(
            [
                "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                commands / "containerd", "--config", home / "config.toml", "--log-level", "warn",
            ],
            stdout=log,
            stderr=log,
        )  # fmt: skip
    try:
        started = PrivateContainerd(home, commands, _child_of(keeper))
        _wait_until_ready(started, keeper)
        yield started
    finally:
        keeper.kill()
        keeper.wait(READY_SECONDS)
        shutil.rmtree(home)
    assert str(home) not in Path("/proc/self/mountinfo").read_text("utf-8")


def _child_of(keeper: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children")
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if found := children.read_text("utf-8").split():
            return int(found[0])
        time.sleep(0.01)
    pytest.fail("unshare did not start containerd")


def _wait_until_ready(started: PrivateContainerd, keeper: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not started.answers():
        if keeper.poll() is not None or time.monotonic() > deadline:
            said = (started.home / "log").read_text("utf-8")
            pytest.fail(f"containerd does not answer: {said}")
        time.sleep(0.1)
