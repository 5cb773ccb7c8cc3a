"""Who is in the cluster of this folder."""

from __future__ import annotations

CONTROL_PLANE = ("cp-0", "cp-1", "cp-2")
WORKERS = ("worker-0", "worker-1")
