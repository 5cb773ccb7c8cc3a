"""What takes too long for every change, and runs in `make test-full`."""

from __future__ import annotations

import os

import pytest

__all__ = ["FULL", "only_in_full"]

FULL = os.environ.get("INGOT_FULL") == "1"

only_in_full = pytest.mark.skipif(not FULL, reason="takes long: `make test-full`")
