"""The questions, in the order in which a person thinks of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ingot.config.draft.answers import Answer, Draft, Slot
from ingot.config.model import ProvisioningNetwork, Role
from ingot.config.problem import at, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["EVERY", "HOSTS", "Kind", "Option", "Question", "questions"]

HOSTS = spell(at("hosts"))


class Kind(StrEnum):
    """How a question is answered."""

    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    SSH_KEY = "ssh key"
    PASSWORD = "password"  # noqa: S105 - the name of a kind


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose, and what it means in a few words."""

    value: Answer
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        slot: where the answer is kept.
        section: what the question belongs to; sections are changed as a whole.
        label: the question itself, in a few words.
        fields: the places of the install-config that the answer decides.
        example: shown until something is typed, where nothing can be suggested.
        applies: whether it is asked at all, by the answers before it.
    """

    slot: Slot
    section: str
    label: str
    fields: tuple[str, ...]
    example: str = ""
    kind: Kind = Kind.TEXT
    options: tuple[Option, ...] = ()
    applies: Callable[[Draft], bool] = lambda _: True


def _below(*names: str) -> tuple[str, ...]:
    return tuple(spell(at(name)) for name in names)


def _disabled(draft: Draft) -> bool:
    return draft.mode is ProvisioningNetwork.DISABLED


def _static(draft: Draft) -> bool:
    return _disabled(draft) and draft.static_bootstrap is True


def _managed(draft: Draft) -> bool:
    return draft.mode is ProvisioningNetwork.MANAGED


def _provisioned(draft: Draft) -> bool:
    return draft.has_provisioning_network


_MODES = (
    Option(ProvisioningNetwork.MANAGED, "Managed", "Ingot runs DHCP and network boot there"),
    Option(ProvisioningNetwork.UNMANAGED, "Unmanaged", "your DHCP server, Ingot's network boot"),
    Option(ProvisioningNetwork.DISABLED, "Disabled", "there is none: BMCs mount a virtual CD"),
)
_STATIC = (
    Option(value=False, name="DHCP", meaning="the machine network has a DHCP server"),
    Option(value=True, name="Static", meaning="no DHCP: give it an address, gateway and DNS"),
)
_MASTERS = (
    Option(3, "3", "survives the loss of one server"),
    Option(1, "1", "not highly available: for trying things out"),
    Option(5, "5", "survives the loss of two servers"),
)

CLUSTER, NETWORK, PROVISIONING = "Cluster", "Network", "Provisioning"
ACCESS, SERVERS = "Access", "Servers"

EVERY = (
    Question(Slot("cluster_name"), CLUSTER, "Name", ("metadata.name",), "such as rack1"),
    Question(Slot("base_domain"), CLUSTER, "Base domain", ("baseDomain",), "such as example.com"),
    Question(
        Slot("machine_network"),
        NETWORK,
        "Machine network",
        ("networking",),
        "the servers' network, such as 192.0.2.0/24",
    ),
    Question(
        Slot("api_vip"),
        NETWORK,
        "Virtual IP of the API",
        _below("apiVIPs"),
        "a free address there, outside any DHCP pool",
    ),
    Question(
        Slot("ingress_vip"),
        NETWORK,
        "Virtual IP of ingress",
        _below("ingressVIPs"),
        "another free address there",
    ),
    Question(
        Slot("mode"),
        PROVISIONING,
        "Provisioning network",
        _below("provisioningNetwork"),
        kind=Kind.CHOICE,
        options=_MODES,
    ),
    Question(
        Slot("provisioning_network"),
        PROVISIONING,
        "Its network",
        _below("provisioningNetworkCIDR", "bootstrapProvisioningIP", "clusterProvisioningIP"),
        "such as 172.22.0.0/24",
        applies=_provisioned,
    ),
    Question(
        Slot("provisioning_bridge"),
        PROVISIONING,
        "This host's bridge to it",
        _below("provisioningBridge"),
        applies=_provisioned,
    ),
    Question(
        Slot("dhcp_range"),
        PROVISIONING,
        "Addresses for DHCP to hand out",
        _below("provisioningDHCPRange"),
        "the first and the last, with a comma",
        applies=_managed,
    ),
    Question(
        Slot("external_bridge"),
        PROVISIONING,
        "This host's bridge to the machine network",
        _below("externalBridge"),
    ),
    Question(
        Slot("static_bootstrap"),
        PROVISIONING,
        "Address of the bootstrap VM",
        (),
        kind=Kind.CHOICE,
        options=_STATIC,
        applies=_disabled,
    ),
    Question(
        Slot("bootstrap_ip"),
        PROVISIONING,
        "The bootstrap VM's address",
        _below("bootstrapExternalStaticIP"),
        "a free address of the machine network",
        applies=_static,
    ),
    Question(
        Slot("bootstrap_gateway"),
        PROVISIONING,
        "Its gateway",
        _below("bootstrapExternalStaticGateway"),
        applies=_static,
    ),
    Question(
        Slot("bootstrap_dns"),
        PROVISIONING,
        "Its name server",
        _below("bootstrapExternalStaticDNS"),
        applies=_static,
    ),
    Question(Slot("ssh_key"), ACCESS, "SSH key for logging in", ("sshKey",), kind=Kind.SSH_KEY),
    Question(
        Slot("masters"),
        SERVERS,
        "Control-plane servers",
        ("controlPlane",),
        kind=Kind.CHOICE,
        options=_MASTERS,
    ),
    Question(Slot("workers"), SERVERS, "Workers", ("compute",), "0 or more", kind=Kind.NUMBER),
)
"""What is asked about the cluster; some of it in one mode only."""

_HOST = (
    Question(Slot("name"), "", "Name", ("name",), "such as cp-0"),
    Question(Slot("bmc_address"), "", "BMC address", ("bmc.address",)),
    Question(Slot("username"), "", "BMC user", ("bmc.username",), "such as admin"),
    Question(Slot("password"), "", "BMC password", ("bmc.password",), kind=Kind.PASSWORD),
    Question(Slot("boot_mac"), "", "Boot MAC address", ("bootMACAddress",)),
)

_BMC_EXAMPLE = {
    True: "such as redfish://198.51.100.10/redfish/v1/Systems/1",
    False: "such as redfish-virtualmedia://198.51.100.10/redfish/v1/Systems/1",
}
_MAC_EXAMPLE = {
    True: "of its card on the provisioning network",
    False: "of its card on the machine network",
}


def questions(draft: Draft) -> list[Question]:
    """Return what there is to ask, by the answers so far."""
    about_cluster = [question for question in EVERY if question.applies(draft)]
    return [*about_cluster, *_about_hosts(draft)]


def _about_hosts(draft: Draft) -> Iterator[Question]:
    masters, workers = draft.masters or 0, max(draft.workers or 0, 0)
    places = [(Role.MASTER, index) for index in range(masters)]
    places += [(Role.WORKER, index) for index in range(workers)]
    examples = {
        "bmc_address": _BMC_EXAMPLE[draft.has_provisioning_network],
        "boot_mac": _MAC_EXAMPLE[draft.has_provisioning_network],
    }
    for number, (role, index) in enumerate(places):
        kind = "Control-plane server" if role is Role.MASTER else "Worker"
        total = masters if role is Role.MASTER else workers
        for question in _HOST:
            name = question.slot.name
            yield replace(
                question,
                slot=Slot(name, role, index),
                section=f"{kind} {index + 1} of {total}",
                fields=tuple(f"{HOSTS}[{number}].{field}" for field in question.fields),
                example=examples.get(name, question.example),
            )
