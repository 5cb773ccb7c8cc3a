"""How a server boots: a word that a host's spec and its status share."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BootMode"]


class BootMode(StrEnum):
    """How a server's firmware boots."""

    UEFI = "UEFI"
    UEFI_SECURE_BOOT = "UEFISecureBoot"
    LEGACY = "legacy"
