"""Finding the bootstrap VM of an install again, by what is written down in its directory."""

from __future__ import annotations

import json

from ingot.assets import metadata
from ingot.installer.directory import InstallDirectory
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import hypervisor_at

__all__ = ["driver_of"]


def driver_of(directory: InstallDirectory) -> Driver | None:
    """Return who has the bootstrap VM of an install; None where none can have been made yet.

    Raises:
        HypervisorError: the address of the hypervisor cannot be one.
    """
    try:
        known = json.loads((directory.path / metadata.PATH).read_bytes())
        uri, infra_id = str(known["baremetal"]["libvirtURI"]), str(known["infraID"])
    except (FileNotFoundError, ValueError, KeyError):
        return None
    return hypervisor_at(uri, home=directory.hidden / "machines", owner=infra_id).driver
