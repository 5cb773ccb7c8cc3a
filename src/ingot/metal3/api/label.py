"""Labels that the operator sets."""

from __future__ import annotations

from typing import Final

__all__ = ["ENVIRONMENT", "ENVIRONMENT_VALUE"]

ENVIRONMENT: Final = "environment.metal3.io"
ENVIRONMENT_VALUE: Final = "baremetal"
"""Together, on every Secret that a host uses: only those are watched."""
