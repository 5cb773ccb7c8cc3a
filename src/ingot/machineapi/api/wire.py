"""What is the Machine API's own in declaring parts: its group."""

from __future__ import annotations

from typing import Final

__all__ = ["GROUP", "VERSION"]

GROUP: Final = "machine.openshift.io"
VERSION: Final = "v1beta1"
