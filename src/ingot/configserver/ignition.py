"""An Ignition config of spec 3: a role's, with one host's own files, and files read out of one."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import unquote_to_bytes

from ingot.errors import IngotError

__all__ = ["MEDIA_TYPE", "VERSION", "Config", "ConfigError", "File", "file_in", "merged", "parse"]

Config: TypeAlias = dict[str, Any]

VERSION: Final = "3.3.0"
"""The newest that Debian's Ignition 2.14 takes."""

MEDIA_TYPE: Final = f"application/vnd.coreos.ignition+json;version={VERSION}"
_TAKEN: Final = ("3.0.0", "3.1.0", "3.2.0", "3.3.0")


class ConfigError(IngotError):
    """A config is none that nodes could be given."""

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source}: {what}",
            remedy=f"write an Ignition config of version {VERSION}; `ignition-validate` checks it",
        )


@dataclass(frozen=True, slots=True)
class File:
    """A file of a host.

    Attributes:
        path: where.
        text: what it says.
        mode: who may read it.
    """

    path: str
    text: str
    mode: int = 0o644

    def entry(self) -> Config:
        """Return what a config says of it."""
        packed = base64.b64encode(self.text.encode()).decode()
        return {
            "path": self.path,
            "mode": self.mode,
            "overwrite": True,
            "contents": {"source": f"data:;base64,{packed}"},
        }


def parse(text: str, *, source: str) -> Config:
    """Return a role's config.

    Raises:
        ConfigError: it is no JSON, or of another version.
    """
    try:
        found = json.loads(text)
        version = found["ignition"]["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(source, "is no Ignition config: `ignition.version` is missing") from error
    if version not in _TAKEN:
        raise ConfigError(source, f"is of version {version}, not of one up to {VERSION}")
    storage = found.get("storage", {})
    if not isinstance(storage, dict) or not isinstance(storage.get("files", []), list):
        raise ConfigError(source, "`storage.files` is no list")
    config: Config = found
    return config


def merged(role: Config, files: Iterable[File]) -> Config:
    """Return a role's config with a host's files; where both have a file, the host's counts."""
    own = [file.entry() for file in files]
    paths = {entry["path"] for entry in own}
    storage = role.get("storage", {})
    common = [entry for entry in storage.get("files", []) if entry.get("path") not in paths]
    return {
        **role,
        "ignition": {**role["ignition"], "version": VERSION},
        "storage": {**storage, "files": [*common, *own]},
    }


def file_in(config: Config, path: str) -> str | None:
    """Return what a config writes to a path, if it says so itself.

    Raises:
        ConfigError: it says so in a way that cannot be read.
    """
    for entry in config.get("storage", {}).get("files", []):
        if entry.get("path") == path:
            source = entry.get("contents", {}).get("source") or ""
            head, comma, content = source.partition(",")
            if not comma or not head.startswith("data:"):
                raise ConfigError(path, "its content is not in the config")
            raw = unquote_to_bytes(content)
            return (base64.b64decode(raw) if head.endswith(";base64") else raw).decode()
    return None
