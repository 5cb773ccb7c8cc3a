"""What each server of an install becomes, as people are told."""

from __future__ import annotations

from ingot.assets.roster import roster
from ingot.config.model import InstallConfig

__all__ = ["roles_of"]


def roles_of(config: InstallConfig) -> dict[str, str]:
    """Return what each server becomes."""
    leads = {host.name for host in roster(config).control_plane}
    return {
        host.name: "control-plane" if host.name in leads else "worker"
        for host in config.baremetal.hosts
    }
