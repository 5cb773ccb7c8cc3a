"""What Ironic's errors mean, where their own words do not say; and nothing secret of them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["explained"]

_SECRET: Final = re.compile(r"(\b(?:agent_token|token|password)=)[^&\s'\")]+", re.IGNORECASE)
"""The agent's own token stands in the address that it is asked at."""

_MEANINGS: Final = (
    ("certificate is not yet valid", "the clock of the server is ahead of Ironic's"),
    ("certificate has expired", "the clock of the server is far behind Ironic's"),
    (
        "No space left on device",
        "the disk is too small for the image (or the memory, for an image that is not raw)",
    ),
    (
        "No suitable device was found for deployment",
        "no disk of the server fits rootDeviceHints, or all have less than 4 GiB",
    ),
    (
        "Unable to find a valid partition table",
        "the image has no partitions, or the disk does not keep what is written to it",
    ),
)


def explained(error: str) -> str:
    """Return an error with what it means before it, if that is known."""
    shown = _SECRET.sub(r"\1***", error)
    meaning = next((meaning for words, meaning in _MEANINGS if words in error), "")
    return f"{meaning}: {shown}" if meaning else shown
