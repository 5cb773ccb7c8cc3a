"""Static pods: a file in the kubelet's folder is a running pod, and a file that is gone is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ingot.node.bootstrap.options import Places

__all__ = ["is_started", "started", "stopped"]


def is_started(places: Places, name: str) -> bool:
    """Return whether the kubelet was told to run a pod."""
    return (places.pods / f"{name}.yaml").exists()


def started(places: Places, name: str) -> None:
    """Have the kubelet run a pod that waits for its turn; nothing where it runs."""
    target = places.pods / f"{name}.yaml"
    if is_started(places, name):
        return
    places.pods.mkdir(parents=True, exist_ok=True)
    # The kubelet reads whatever lies there, but not what begins with a dot.
    fresh = places.pods / f".{name}.yaml"
    shutil.copyfile(places.waiting_pods / f"{name}.yaml", fresh)
    fresh.chmod(0o600)
    fresh.replace(target)


def stopped(places: Places, name: str) -> None:
    """Have the kubelet end a pod; nothing where it does not run."""
    (places.pods / f"{name}.yaml").unlink(missing_ok=True)
    _synced(places.pods)


def _synced(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
