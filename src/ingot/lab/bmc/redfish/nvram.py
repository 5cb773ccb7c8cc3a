"""What a BMC remembers when its own power is gone: one small file for each host."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, StrictStr, ValidationError

from ingot.machine.model import BootSource

__all__ = ["Continuous", "Memory", "Nvram", "Setting", "StoredMedia"]

_LOG = logging.getLogger(__name__)

Setting = StrictBool | StrictInt | StrictStr
"""The value of a BIOS attribute; strict, so that true does not become 1 on its way."""


class Part(BaseModel):
    """A part of the file; what an older version wrote and nobody knows any more is dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Continuous(Part):
    """A boot override that stays."""

    source: BootSource
    before: tuple[BootSource, ...]
    """The boot order to go back to when it is withdrawn."""


class StoredMedia(Part):
    """What is in the virtual drive, or beside it."""

    url: str
    name: str
    file: Path
    write_protected: bool = True
    username: str = ""


class Memory(Part):
    """All of it."""

    bios: dict[str, Setting] = {}
    """What differs from the factory's."""
    pending: dict[str, Setting] = {}
    """What becomes so when the host starts."""
    bios_version: str = "1.0.0"
    continuous: Continuous | None = None
    http_boot_uri: str | None = None
    media: StoredMedia | None = None
    verify_media: bool = False
    media_certificate: str | None = None


class Nvram:
    """The file, safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._memory = self._load()

    @property
    def memory(self) -> Memory:
        """What is remembered now."""
        return self._memory

    def change(self, change: Callable[[Memory], Memory]) -> Memory:
        """Remember something else; nothing comes between reading and writing."""
        with self._lock:
            self._memory = change(self._memory)
            fresh = self._path.with_suffix(".new")
            fresh.write_text(self._memory.model_dump_json(), encoding="utf-8")
            fresh.replace(self._path)
            return self._memory

    def remember(self, **fields: object) -> Memory:
        """Set some fields."""
        return self.change(lambda memory: memory.model_copy(update=fields))

    def _load(self) -> Memory:
        try:
            return Memory.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return Memory()
        except ValidationError:
            _LOG.warning("%s cannot be read; this BMC starts as from the factory", self._path)
            return Memory()
