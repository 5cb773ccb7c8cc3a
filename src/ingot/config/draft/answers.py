"""The answers, as an immutable value that can be kept as JSON.

Addresses and names stay the text that was typed: what they mean is said by the config's own
readings, when the file that holds them is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from ingot.config.model import ProvisioningNetwork, Role
from ingot.config.secret import Secret

__all__ = ["Answer", "Draft", "HostDraft", "Slot"]

Answer: TypeAlias = str | int | bool | ProvisioningNetwork | Secret


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one answer: a field of the draft, or of a host."""

    name: str
    role: Role = Role.NONE
    """The role of the host; none for what is not about a host."""

    index: int = 0
    """Which host of that role."""


class _Answers(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def get(self, name: str) -> Answer | None:
        """Return the answer of a field, if it was given."""
        answer: Answer | None = getattr(self, name)
        return answer


class HostDraft(_Answers):
    """What was said about one server. None stands for what was not asked yet."""

    name: str | None = None
    bmc_address: str | None = None
    username: str | None = None
    password: Secret | None = None
    boot_mac: str | None = None


class Draft(_Answers):
    """What was said about a cluster. None stands for what was not asked yet."""

    cluster_name: str | None = None
    base_domain: str | None = None

    machine_network: str | None = None
    api_vip: str | None = None
    ingress_vip: str | None = None

    mode: ProvisioningNetwork | None = None
    provisioning_network: str | None = None
    provisioning_bridge: str | None = None
    dhcp_range: str | None = None
    external_bridge: str | None = None
    static_bootstrap: bool | None = None
    bootstrap_ip: str | None = None
    bootstrap_gateway: str | None = None
    bootstrap_dns: str | None = None

    ssh_key: str | None = None
    """Empty when nobody is to log in."""

    masters: int | None = None
    workers: int | None = None
    master_hosts: tuple[HostDraft, ...] = ()
    worker_hosts: tuple[HostDraft, ...] = ()
    """May hold more than `workers`: a number that was lowered can be raised again."""

    @property
    def has_provisioning_network(self) -> bool:
        """Whether servers boot over a network of their own; None was not asked yet."""
        return self.mode in (ProvisioningNetwork.MANAGED, ProvisioningNetwork.UNMANAGED)

    @property
    def hosts(self) -> list[tuple[Role, HostDraft]]:
        """The servers that are asked for and about which something was said."""
        masters = self.master_hosts[: self.masters or 0]
        workers = self.worker_hosts[: self.workers or 0]
        listed = [(Role.MASTER, host) for host in masters]
        listed += [(Role.WORKER, host) for host in workers]
        return [(role, host) for role, host in listed if host != HostDraft()]

    def answer(self, slot: Slot) -> Answer | None:
        """Return the answer at a place, if it was given."""
        if slot.role is Role.NONE:
            return self.get(slot.name)
        hosts = self._hosts(slot.role)
        return hosts[slot.index].get(slot.name) if slot.index < len(hosts) else None

    def answered(self, slot: Slot, answer: Answer) -> Draft:
        """Return the draft with one more answer, or another one."""
        if slot.role is Role.NONE:
            return self.model_copy(update={slot.name: answer})
        hosts = list(self._hosts(slot.role))
        hosts += [HostDraft()] * (slot.index + 1 - len(hosts))
        hosts[slot.index] = hosts[slot.index].model_copy(update={slot.name: answer})
        return self.model_copy(update={f"{slot.role}_hosts": tuple(hosts)})

    def as_json(self) -> str:
        """Return the form for keeping. It may hold passwords."""
        return self.model_dump_json(indent=2, exclude_defaults=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Draft:
        """Return the draft that was kept.

        Raises:
            ValueError: the text is not a kept draft.
        """
        return cls.model_validate_json(text)

    def _hosts(self, role: Role) -> tuple[HostDraft, ...]:
        return self.master_hosts if role is Role.MASTER else self.worker_hosts
