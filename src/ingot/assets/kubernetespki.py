"""The cluster's authorities and keys, where kubeadm looks for them on a control-plane machine."""

from __future__ import annotations

from typing import Final

from ingot.assets.graph.files import Files
from ingot.assets.ignition import MachineFile

__all__ = ["pki_files"]

FOLDER: Final = "/etc/kubernetes/pki"
PLACES: Final = {"ca": "ca", "etcd-ca": "etcd/ca", "front-proxy-ca": "front-proxy-ca"}
"""Names in `tls/`, each with the one that kubeadm gives it."""


def pki_files(files: Files) -> tuple[MachineFile, ...]:
    """Return them; keys are for root alone."""
    found = [MachineFile.secret(f"{FOLDER}/sa.key", files["tls/sa.key"])]
    found.append(MachineFile(f"{FOLDER}/sa.pub", files["tls/sa.pub"]))
    for ours, theirs in PLACES.items():
        found.append(MachineFile(f"{FOLDER}/{theirs}.crt", files[f"tls/{ours}.crt"]))
        found.append(MachineFile.secret(f"{FOLDER}/{theirs}.key", files[f"tls/{ours}.key"]))
    return tuple(found)
