"""The config server's folder on a control-plane node: what it was given, with this node's keys.

What a Secret gives is linked to, so that a change of it is seen. Only the config of the control
plane is written here: the cluster's authorities are put into it, which no Secret has.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from ingot.configserver import ignition
from ingot.configserver.ignition import File
from ingot.configserver.role import Role
from ingot.errors import ExitCode, IngotError

__all__ = ["AUTHORITIES", "FOLDER", "GIVEN", "MissingFileError", "complete"]

GIVEN: Final = "/etc/ingot/configserver"
FOLDER: Final = "/run/ingot/configserver"
PKI: Final = "/etc/kubernetes/pki"
AUTHORITIES: Final = (
    "ca.crt",
    "ca.key",
    "etcd/ca.crt",
    "etcd/ca.key",
    "front-proxy-ca.crt",
    "front-proxy-ca.key",
    "sa.key",
    "sa.pub",
)
"""What kubeadm looks for where a node joins the control plane."""


class MissingFileError(IngotError):
    """A file that this node has to have is not there."""

    exit_code = ExitCode.INFRASTRUCTURE


def complete(
    *, given: Path = Path(GIVEN), pki: Path = Path(PKI), folder: Path = Path(FOLDER)
) -> None:
    """Furnish a folder to serve from.

    Args:
        given: what a Secret gave.
        pki: this node's authorities.
        folder: what is served from.

    Raises:
        MissingFileError: one of them is not there.
        ConfigError: the control plane's config is none.
    """
    own = Role.CONTROL_PLANE.file_name
    for path in sorted(given.iterdir()):
        if path.name.startswith(".") or path.name == own:
            continue
        link = folder / path.name
        link.unlink(missing_ok=True)
        link.symlink_to(path)
    config = ignition.parse(_text(given / own), source=str(given / own))
    files = [
        File(f"{PKI}/{name}", _text(pki / name), 0o600 if name.endswith(".key") else 0o644)
        for name in AUTHORITIES
    ]
    _write(folder / own, json.dumps(ignition.merged(config, files)))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise MissingFileError(
            f"{path} cannot be read: {error.strerror}",
            remedy="run it on a control-plane node, with the Secret of the config server",
        ) from error


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "w", encoding="utf-8") as file:
        file.write(text)
