"""Finding the bootstrap VM of an install again, by what is written down in its directory."""

from __future__ import annotations

import json

from ingot.assets import metadata
from ingot.config.model import InstallConfig
from ingot.installer.directory import InstallDirectory
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import hypervisor_at

__all__ = ["driver_of"]


def driver_of(directory: InstallDirectory, config: InstallConfig) -> Driver | None:
    """Return who has the bootstrap VM of an install; None where none can have been made yet.

    Raises:
        HypervisorError: the address of the hypervisor cannot be one.
    """
    try:
        known = json.loads((directory.path / metadata.PATH).read_bytes())
        infra_id = str(known["infraID"])
    except (FileNotFoundError, ValueError, KeyError):
        return None
    home = directory.hidden / "machines"
    return hypervisor_at(config.baremetal.libvirt_uri, home=home, owner=infra_id).driver
