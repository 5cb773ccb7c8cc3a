"""Which of kubeadm's checks a machine need not pass.

User-Mode Linux has one processor and no cpuset to divide it. Nothing else is let through.
"""

from __future__ import annotations

from ingot.process import CommandFailed, run

__all__ = ["tolerated"]

UML = ("NumCPU", "SystemVerification")


def tolerated() -> tuple[str, ...]:
    """Return the names of the checks."""
    try:
        kind = run(["systemd-detect-virt", "--vm"]).strip()
    except CommandFailed:
        return ()  # It is no virtual machine.
    return UML if kind == "uml" else ()
