"""Finding the bootstrap VM of an install again, by what is written down in its directory."""

from __future__ import annotations

import json

from ingot.assets import metadata
from ingot.installer.directory import InstallDirectory
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import Hypervisor, hypervisor_at

__all__ = ["driver_of", "hypervisor_of", "infra_id_of"]


def driver_of(directory: InstallDirectory) -> Driver | None:
    """Return who has the bootstrap VM of an install; None where none can have been made yet.

    Raises:
        HypervisorError: the address of the hypervisor cannot be one.
    """
    place = hypervisor_of(directory)
    return place.driver if place else None


def hypervisor_of(directory: InstallDirectory) -> Hypervisor | None:
    """Return where the bootstrap VM of an install is made; None where none can have been yet.

    Raises:
        HypervisorError: the address of the hypervisor cannot be one.
    """
    known = _known(directory)
    if known is None:
        return None
    uri, infra_id = known
    return hypervisor_at(uri, home=directory.hidden / "machines", owner=infra_id)


def infra_id_of(directory: InstallDirectory) -> str | None:
    """Return what marks all that was made for an install; None where nothing can have been."""
    known = _known(directory)
    return known[1] if known else None


def _known(directory: InstallDirectory) -> tuple[str, str] | None:
    """Return the address of the hypervisor, and what marks that which is made there."""
    try:
        known = json.loads((directory.path / metadata.PATH).read_bytes())
        return str(known["baremetal"]["libvirtURI"]), str(known["infraID"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
