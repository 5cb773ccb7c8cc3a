"""Ignition configs: files, units and users of a machine, as values.

Spec 3.3.0 is the newest that Debian's Ignition 2.14 reads.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field

from ingot.assets.documents import Json

__all__ = ["VERSION", "MachineFile", "Unit", "data_url", "machine_config", "rendered"]

VERSION = "3.3.0"


@dataclass(frozen=True, slots=True)
class MachineFile:
    """A file on a machine.

    Attributes:
        path: where.
        content: what is in it.
        mode: who may read it.
    """

    path: str
    content: bytes = field(repr=False)
    mode: int = 0o644

    @classmethod
    def secret(cls, path: str, content: bytes) -> MachineFile:
        """Return a file for its owner alone."""
        return cls(path, content, 0o600)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of systemd; without a text, one that the system has already."""

    name: str
    text: str = ""
    enabled: bool = True


def machine_config(
    files: Iterable[MachineFile] = (),
    units: Iterable[Unit] = (),
    users: Iterable[Json] = (),
) -> Json:
    """Return a config; what there is none of is left out."""
    written = [_file(one) for one in sorted(files, key=lambda one: one.path)]
    started = [_unit(one) for one in units]
    known = list(users)
    return {
        "ignition": {"version": VERSION},
        **({"passwd": {"users": known}} if known else {}),
        **({"storage": {"files": written}} if written else {}),
        **({"systemd": {"units": started}} if started else {}),
    }


def rendered(config: Json) -> bytes:
    """Return a config as a file."""
    return (json.dumps(config, indent=2) + "\n").encode()


def data_url(content: bytes) -> str:
    """Return content as a URL that holds it."""
    return f"data:;base64,{b64encode(content).decode()}"


def _file(one: MachineFile) -> Json:
    return {
        "path": one.path,
        "mode": one.mode,
        "overwrite": True,
        "contents": {"source": data_url(one.content)},
    }


def _unit(one: Unit) -> Json:
    return {
        "name": one.name,
        "enabled": one.enabled,
        **({"contents": one.text} if one.text else {}),
    }
