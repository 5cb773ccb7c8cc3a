"""Patience with kubeadm's static pods on machines that share their processor, as those of a lab.

kubelet restarts what has not answered for a minute and a half. Where four machines start control
planes on two cores, all of them are that slow for a while. Each restart costs as much as the first
start did, so the others become slower still, and none of them ever comes to its end. Nor is a ready
API server asked each second whether it is: each question costs a handshake.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from ingot.onprem.files import write_if_changed

__all__ = ["FOLDER", "PATCHES", "write_patches"]

FOLDER: Final = "patches"
LIVES: Final = {"failureThreshold": 60, "periodSeconds": 10, "timeoutSeconds": 30}
STARTS: Final = {"failureThreshold": 120, "periodSeconds": 10, "timeoutSeconds": 30}
READY: Final = {"failureThreshold": 3, "periodSeconds": 5, "timeoutSeconds": 15}
PATCHES: Final = {
    "etcd": {"livenessProbe": LIVES, "startupProbe": STARTS, "readinessProbe": READY},
    "kube-apiserver": {"livenessProbe": LIVES, "startupProbe": STARTS, "readinessProbe": READY},
    "kube-controller-manager": {"livenessProbe": LIVES, "startupProbe": STARTS},
    "kube-scheduler": {"livenessProbe": LIVES, "startupProbe": STARTS},
}
"""By static pod, which is also the name of its container."""


def write_patches(folder: Path) -> None:
    """Write what kubeadm is to change of the static pods that it writes."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, probes in PATCHES.items():
        patch = {"spec": {"containers": [{"name": name, **probes}]}}
        write_if_changed(folder / f"{name}+strategic.json", json.dumps(patch))
