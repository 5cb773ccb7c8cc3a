"""Who is answered by DHCP: every BareMetalHost, also those that come while the pod runs.

dnsmasq follows a folder, so it need not be started again, and Ironic beside it neither. A host that
has gone is answered until the pod begins anew: dnsmasq forgets nobody.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingot.kube.changes import Change
from ingot.kube.kind import Unreadable
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.reading import UnreadableObject

__all__ = ["BootMacs"]

log = logging.getLogger(__name__)

_MAC: Final = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class BootMacs:
    """The folder that dnsmasq follows.

    Attributes:
        folder: where a host has its file, of its own name.
        scratch: a folder beside it, where files are written first.
    """

    folder: Path
    scratch: Path

    def on_change(self, change: Change[BareMetalHost]) -> None:
        """Write down a host's card, or forget it."""
        name = change.object.metadata.name
        path = self.folder / name
        mac = _mac(change)
        if mac is None:
            path.unlink(missing_ok=True)
            return
        if path.exists() and path.read_text(encoding="ascii") == f"{mac}\n":
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.scratch / f".{name}"
        fresh.write_text(f"{mac}\n", encoding="ascii")
        fresh.rename(path)
        log.info("%s boots from %s", name, mac)


def _mac(change: Change[BareMetalHost]) -> str | None:
    if change.new is None:
        return None
    try:
        mac = (change.new.model.spec.boot_mac_address or "").lower()
    except (Unreadable, UnreadableObject) as error:
        log.warning("%s is not answered: %s", change.new.key, error)
        return None
    # What stands in this file is taken for an option of dnsmasq.
    return mac if _MAC.fullmatch(mac) else None
