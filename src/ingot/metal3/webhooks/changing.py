"""What of a host can be changed only at certain times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import OperationalStatus, ProvisioningState
from ingot.metal3.webhooks.finding import Finding

__all__ = ["address_changes_unregistered", "adopted_when_available"]

BEFORE_REGISTERED: Final = frozenset(
    {ProvisioningState.NONE, ProvisioningState.UNMANAGED, ProvisioningState.REGISTERING}
)
"""Upstream has only the last; in the others no node exists that the change could leave behind."""

FREE: Final = frozenset({ProvisioningState.AVAILABLE, ProvisioningState.READY})


def address_changes_unregistered(old: BareMetalHost, new: BareMetalHost) -> Iterator[Finding]:
    """Row 26: the address changes only while the host is detached or being registered.

    The status is that of the stored object; in an update it cannot be set by whoever writes.
    """
    before = old.spec.bmc.address if old.spec.bmc else ""
    after = new.spec.bmc.address if new.spec.bmc else ""
    state = old.status.provisioning.state
    detached = old.status.operational_status is OperationalStatus.DETACHED
    if before and before != after and not detached and state not in BEFORE_REGISTERED:
        yield Finding(
            "spec.bmc.address",
            f"cannot {'change' if after else 'be removed'} while the host is {state}",
            "set the annotation baremetalhost.metal3.io/detached first, and wait until the host's "
            "status says detached",
        )


def adopted_when_available(old: BareMetalHost, new: BareMetalHost) -> Iterator[Finding]:
    """Row 28: externallyProvisioned is turned on only on a host that is available."""
    state = old.status.provisioning.state
    turned_on = new.spec.externally_provisioned and not old.spec.externally_provisioned
    if turned_on and state not in FREE:
        yield Finding(
            "spec.externallyProvisioned",
            f"cannot be turned on while the host is {state or 'new'}",
            "wait until the host is available, or create it with externallyProvisioned set",
        )
