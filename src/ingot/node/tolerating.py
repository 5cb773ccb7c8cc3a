"""Which of kubeadm's checks a machine need not pass.

User-Mode Linux has one processor and no cpuset to divide it. Nothing else is let through.
"""

from __future__ import annotations

from typing import Final

from ingot.process import CommandFailed, run

__all__ = ["UML_CHECKS", "is_uml", "tolerated"]

UML_CHECKS: Final = ("NumCPU", "SystemVerification")


def is_uml() -> bool:
    """Tell whether this machine is a User-Mode Linux."""
    try:
        return run(["systemd-detect-virt"]).strip() == "uml"
    except CommandFailed:
        return False  # It is no virtual machine.


def tolerated() -> tuple[str, ...]:
    """Return the names of the checks."""
    return UML_CHECKS if is_uml() else ()
