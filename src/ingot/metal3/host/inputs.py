"""A short print of all that somebody may change to mend a failure.

Upstream waits out a back-off of hours after the password was corrected. Here the print is kept
with each failure, and a different one means: try at once, and count from the beginning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.host.observation import (
    Credentials,
    CredentialsGood,
    CredentialsUnusable,
    Facts,
    FirmwareSeen,
)

__all__ = ["fingerprint", "wish"]

_MATTER = frozenset(
    {
        annotation.INSPECT,
        annotation.HARDWARE_DETAILS,
        annotation.DETACHED,
        annotation.FORCE_DELETE,
        annotation.REBOOT,
    }
)


def fingerprint(host: BareMetalHost, seen: Facts) -> str:
    """Return a print of the inputs: spec, credentials, annotations, firmware and ramdisk."""
    meta = host.metadata
    return _print(
        meta.generation,
        meta.is_going,
        _credentials(seen.credentials),
        {name: text for name, text in meta.annotations.items() if _matters(name)},
        wish(seen.firmware),
        [seen.ramdisk.state, seen.ramdisk.version],
    )


def wish(firmware: FirmwareSeen) -> str:
    """Return a print of what is asked of the firmware; "" when nothing is."""
    if not firmware.settings and not firmware.updates:
        return ""
    updates = [[update.component, update.url] for update in firmware.updates]
    return _print(dict(firmware.settings), updates)


def _matters(name: str) -> bool:
    return name in _MATTER or name.startswith(annotation.REBOOT_WITH_KEY)


def _credentials(credentials: Credentials) -> str:
    if isinstance(credentials, CredentialsGood):
        return f"good {credentials.version}"
    if isinstance(credentials, CredentialsUnusable):
        return f"unusable {credentials.reason}"
    return "missing"


def _print(*parts: int | str | Sequence[str] | Sequence[Sequence[str]] | Mapping[str, str]) -> str:
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
