"""Where a copy of the images is, how it is told of, and where it is served."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

__all__ = ["FILES", "FOLDER", "POD", "PORT", "READY", "SCRATCH", "SOURCE"]

FOLDER: Final = PurePosixPath("/var/lib/ingot/images")
"""On the node and in the pod. A folder in it, named by what is in it, is there once it is whole."""
SCRATCH: Final = PurePosixPath("/run/ingot/images")
"""What the web server writes."""
PORT: Final = 6181
READY: Final = "/ready"

FILES: Final = "INGOT_IMAGE_FILES"
"""A variable: `name=sha256`, with commas between."""
SOURCE: Final = "INGOT_IMAGE_SOURCE"
"""A variable: the URL of the first copy."""
POD: Final = "POD_NAME"
