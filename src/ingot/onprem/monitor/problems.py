"""What is wrong at present, each thing told once in the log when it begins and when it ends."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from ingot.errors import IngotError

__all__ = ["Problems"]

log = logging.getLogger(__name__)


class Problems:
    """The problems of a node, by the part that has one.

    Attributes:
        current: what is wrong with each part.
    """

    def __init__(self) -> None:
        self.current: dict[str, str] = {}

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Keep what goes wrong in the block from going further: the last good state stays."""
        try:
            yield
        except (IngotError, OSError) as error:
            said = str(error)
            if _gist(self.current.get(part, "")) != _gist(said):
                remedy = getattr(error, "remedy", "")
                log.error("%s: %s%s", part, said, f"; {remedy}" if remedy else "")  # noqa: TRY400
            self.current[part] = said
        else:
            if self.current.pop(part, None) is not None:
                log.info("%s: is well again", part)


def _gist(said: str) -> str:
    """Return a message without its numbers: that of a process is another each time."""
    return re.sub(r"\d+", "", said)
