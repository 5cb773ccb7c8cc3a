"""Places that are limited: work at once for Ironic's sake, boots at once for the site's network.

Upstream has the first, checks it by listing every node, and lets the second go: a site that boots
forty ramdisks at once loses some of them. A host that has to wait says so, and does nothing.
Servers that get their ramdisk as virtual media take no place of either sort.

Only booting a ramdisk takes a boot's place. A server in use that is turned on boots from its disk.
"""

from __future__ import annotations

from typing import Final

from ingot.bmc.address import BmcAddressError, parse
from ingot.bmc.scheme import Scheme
from ingot.metal3.api.baremetalhost import HostSpec
from ingot.metal3.api.states import OperationalStatus, ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["admitted", "boots_over_network", "no_boot_slot", "no_capacity"]

LIMITED: Final = frozenset(counting.DELAYED)


def boots_over_network(spec: HostSpec) -> bool:
    """Return whether the ramdisk is fetched by DHCP and TFTP; so also where that is not known."""
    scheme = _scheme(spec)
    return scheme is None or scheme.needs_provisioning_network


def no_capacity(turn: Turn, state: ProvisioningState) -> Outcome | None:
    """Return that a state's work has to wait for others to end, if it has."""
    site = turn.seen.site
    if state not in LIMITED or site.working_here or site.working < turn.settings.capacity:
        return None
    scheme = _scheme(turn.spec)
    if scheme is not None and scheme.iso_ramdisk:
        return None
    if turn.recall(Memory.WAITING_FOR_CAPACITY) is None:
        turn.count(counting.DELAYED[state], **turn.where)
    waits = f"as many servers are worked on as may be at once: {turn.settings.capacity}"
    turn.remember(Memory.WAITING_FOR_CAPACITY, waits)
    _delay(turn)
    return Outcome(f"waiting before {state}: {waits}", turn.settings.delays.held_capacity)


def no_boot_slot(turn: Turn) -> Outcome | None:
    """Return that a ramdisk has to wait for others to boot, if it has."""
    site = turn.seen.site
    if site.booting_here or site.booting < turn.settings.boots:
        return None
    if not boots_over_network(turn.spec):
        return None
    waits = f"as many servers boot as may at once: {turn.settings.boots}"
    turn.remember(Memory.WAITING_FOR_BOOT_SLOT, waits)
    _delay(turn)
    return Outcome(f"waiting to boot: {waits}", turn.settings.delays.held_boot_slot)


def admitted(turn: Turn) -> None:
    """Say that the host waits for no place any more."""
    turn.forget(Memory.WAITING_FOR_CAPACITY, Memory.WAITING_FOR_BOOT_SLOT)
    if turn.status.operational_status is OperationalStatus.DELAYED:
        turn.fares(OperationalStatus.OK)


def _delay(turn: Turn) -> None:
    if turn.status.error_type is None:  # an error is worth more of a person's attention
        turn.fares(OperationalStatus.DELAYED)


def _scheme(spec: HostSpec) -> Scheme | None:
    if spec.bmc is None:
        return None
    try:
        return parse(spec.bmc.address).traits
    except BmcAddressError:  # registering says so; here nothing depends on it
        return None
