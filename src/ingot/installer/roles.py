"""What each server of an install becomes, as people are told."""

from __future__ import annotations

from ingot.assets.roster import roster
from ingot.config.model import InstallConfig

__all__ = ["roles_of"]


def roles_of(config: InstallConfig) -> dict[str, str]:
    """Return what each server becomes; a spare, if need be, part of the control plane."""
    found = roster(config)
    return {
        **{host.name: "control-plane" for host in found.control_plane},
        **{host.name: "spare" if host.name in found.spares else "worker" for host in found.others},
    }
