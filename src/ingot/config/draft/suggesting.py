"""What to offer as an answer, from the config's own defaults and from the answers before."""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from typing import TYPE_CHECKING

from ingot.bmc.address import BmcAddressError, parse
from ingot.config.draft.checking import before
from ingot.config.draft.questions import Kind, Question
from ingot.config.draft.text import render
from ingot.config.loading import load
from ingot.config.model import InstallConfig, Role

if TYPE_CHECKING:
    from ingot.config.draft.answers import Answer, Draft, HostDraft, Slot
    from ingot.config.reading import IPAddress

__all__ = ["previous_host", "suggestion"]

WORKERS = 2
USERNAME = "admin"
HOST_NAME = {Role.MASTER: "cp", Role.WORKER: "worker"}
_DEFAULTS = {
    "provisioning_network": "provisioning_network_cidr",
    "provisioning_bridge": "provisioning_bridge",
    "dhcp_range": "provisioning_dhcp_range",
    "external_bridge": "external_bridge",
}
"""Questions whose suggestion is what the config means where it is silent."""


def suggestion(draft: Draft, question: Question) -> Answer | None:
    """Return what to offer, or None where any guess would only be in the way."""
    if question.kind is Kind.CHOICE:
        return question.options[0].value
    reached = before(draft, question)
    slot = question.slot
    if slot.role is not Role.NONE:
        return _for_host(reached, slot)
    config = load(render(reached).encode()).config
    return _for_cluster(reached, slot.name, config or InstallConfig())


def _for_cluster(draft: Draft, name: str, config: InstallConfig) -> Answer | None:
    if name in _DEFAULTS:
        default = getattr(config.baremetal, _DEFAULTS[name])
        return None if default is None else str(default)
    vips, machine = config.baremetal.api_vips, config.networking.machine_cidrs
    offers: dict[str, Answer | None] = {
        "ingress_vip": _following(vips[0]) if vips else None,
        "bootstrap_gateway": str(machine[0][1]) if machine else None,
        "bootstrap_dns": draft.bootstrap_gateway,
        "workers": WORKERS,
    }
    return offers.get(name)


def _for_host(draft: Draft, slot: Slot) -> str | None:
    previous = previous_host(draft, slot)
    offers = {
        "name": f"{HOST_NAME[slot.role]}-{slot.index}",
        "bmc_address": _next_bmc(previous.bmc_address) if previous else None,
        "username": previous.username if previous else USERNAME,
    }
    return offers.get(slot.name)


def previous_host(draft: Draft, slot: Slot) -> HostDraft | None:
    """Return the host that was asked about before the one of a slot."""
    if slot.index:
        hosts = draft.master_hosts if slot.role is Role.MASTER else draft.worker_hosts
        return hosts[slot.index - 1] if slot.index <= len(hosts) else None
    if slot.role is Role.WORKER and draft.master_hosts:
        return draft.master_hosts[-1]
    return None


def _next_bmc(text: str | None) -> str | None:
    """Return the same address at the next IP address: BMCs are mostly numbered in a row."""
    try:
        address = parse(text or "")
    except BmcAddressError:
        return None
    following = _following(address.ip) if address.ip else None
    return replace(address, host=following).normalized if following else None


def _following(address: IPAddress) -> str | None:
    try:
        return str(address + 1)
    except ipaddress.AddressValueError:
        return None
