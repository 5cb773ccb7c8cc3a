"""What is metal3's own in declaring parts: its group, and how upstream writes a MAC address."""

from __future__ import annotations

from typing import Final

from pydantic import Field

__all__ = ["GROUP", "MAC_ANYWHERE", "MAC_EXACTLY", "VERSION"]

GROUP: Final = "metal3.io"
VERSION: Final = "v1alpha1"

MAC_ANYWHERE = Field(pattern=r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
"""Upstream's older pattern, which has no anchors: the webhook is what refuses the rest."""
MAC_EXACTLY = Field(pattern=r"^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$")
