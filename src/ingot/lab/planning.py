"""From an outline to a plan: every address, MAC, number and password decided.

The same lab on the same PC gives the same plan, but for passwords. Numbers are made from the names
of lab and host, so that a lab that is destroyed and created again has the hardware it had.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from itertools import count
from pathlib import Path
from uuid import UUID, uuid5

from ingot.config.secret import Secret
from ingot.errors import ExitCode, IngotError
from ingot.lab import addressing
from ingot.lab.description import FaultDescription
from ingot.lab.networks import BAREMETAL, PROVISIONING, collides
from ingot.lab.outline import HostOutline, Outline
from ingot.lab.plan import (
    BmcPlan,
    DiskPlan,
    FaultPlan,
    HostPlan,
    LabPlan,
    NetworkPlan,
    NicPlan,
)
from ingot.lab.words import DriverKind, Role, Wire
from ingot.machine.model import BootMode, MacAddress

__all__ = ["NoFreeNetwork", "Taken", "fault_plan", "made_up_password", "plan"]

USERNAME = "admin"
BRIDGES = {Wire.PROVISIONING: PROVISIONING, Wire.EXTERNAL: BAREMETAL}
IDENTITY = UUID("5f1d8a3e-6c0b-4a0f-9d5e-1b7c2e94f6a1")
"""The namespace of the UUIDs made here; any constant would do."""

LINK_NAME = 15
"""How long a link's name may be in Linux."""

PASSWORD_BYTES = 8
"""16 characters, within the 20 of IPMI."""


class NoFreeNetwork(IngotError):  # noqa: N818 - it says what was seen
    """Every network a lab could have is in use on this PC."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True, slots=True)
class Taken:
    """A network that this PC uses already.

    Attributes:
        direct: whether it is at hand; what is reached through a gateway may have a part cut out.
    """

    network: IPv4Network
    direct: bool = True


def made_up_password() -> str:
    """Return a password nobody knows."""
    return secrets.token_hex(PASSWORD_BYTES)


def plan(
    lab: Outline,
    *,
    directory: Path,
    taken: Sequence[Taken] = (),
    password: Callable[[], str] = made_up_password,
) -> LabPlan:
    """Return the plan of a lab that breaks no rule.

    Args:
        lab: the lab.
        directory: where its install-config is written.
        taken: networks that are in use.
        password: makes one for each BMC that is given none.

    Raises:
        NoFreeNetwork: no address is left for it.
    """
    networks = _networks(lab, taken)
    macs = _Macs(lab)
    own = {host.address for host in lab.hosts} | {networks.api_vip, networks.ingress_vip}
    addresses = (one for one in addressing.hosts(networks.external) if one not in own)
    own_bmcs = {host.said.bmc.address for host in lab.hosts}
    bmcs = (one for one in addressing.bmcs(networks.out_of_band) if one not in own_bmcs)
    return LabPlan(
        name=lab.said.name,
        directory=directory,
        namespace=f"ingot-{lab.said.name}",
        cluster_name=lab.cluster_name,
        base_domain=lab.said.base_domain,
        networks=networks,
        hosts=tuple(
            _host(
                lab,
                host,
                number=number,
                address=_ipv4(host.address) or next(addresses),
                bmc=BmcPlan(
                    kind=host.bmc,
                    address=_ipv4(host.said.bmc.address) or next(bmcs),
                    username=_text(host.username) or USERNAME,
                    password=_text(host.password) or password(),
                ),
                macs=macs,
            )
            for number, host in enumerate(lab.hosts)
        ),
    )


def fault_plan(fault: FaultDescription) -> FaultPlan:
    """Return a fault as the plan has it."""
    given = fault.model_dump(
        exclude_none=True, include={"kind", "rate", "times", "after", "seed", "amount"}
    )
    return FaultPlan(**given)


def _networks(lab: Outline, taken: Sequence[Taken]) -> NetworkPlan:
    said = lab.said.networks
    provisioning = _given(said.provisioning) or addressing.PROVISIONING
    asked = (_given(said.external), _given(said.out_of_band), provisioning)
    used = [*taken, *(Taken(network) for network in asked if network)]
    external = _given(said.external) or _free("external", addressing.EXTERNALS, used)
    out_of_band = _given(said.out_of_band) or _free("outOfBand", addressing.OUT_OF_BANDS, used)
    transfer = _free("transfer", addressing.TRANSFERS, used)
    return NetworkPlan(
        external=external,
        external_gateway=addressing.gateway(external),
        provisioning=provisioning if lab.has_provisioning else None,
        provisioning_mode=lab.mode,
        out_of_band=out_of_band,
        out_of_band_gateway=addressing.gateway(out_of_band),
        api_vip=_ipv4(said.api_vip) or addressing.api_vip(external),
        ingress_vip=_ipv4(said.ingress_vip) or addressing.ingress_vip(external),
        uplink=_uplink(lab.said.name),
        uplink_outside=IPv4Interface(f"{transfer[1]}/{transfer.prefixlen}"),
        uplink_inside=IPv4Interface(f"{transfer[2]}/{transfer.prefixlen}"),
    )


def _free(name: str, candidates: Sequence[IPv4Network], taken: Sequence[Taken]) -> IPv4Network:
    for one in candidates:
        if not any(collides(one, other.network, direct=other.direct) for other in taken):
            return one
    raise NoFreeNetwork(
        f"every {name} network from {candidates[0]} to {candidates[-1]} is in use on this PC",
        remedy="destroy a lab, or choose networks yourself under `networks` in a lab.yaml",
    )


def _host(
    lab: Outline,
    host: HostOutline,
    *,
    number: int,
    address: IPv4Address,
    bmc: BmcPlan,
    macs: _Macs,
) -> HostPlan:
    name = f"{lab.said.name}/{host.name}"
    uuid = uuid5(IDENTITY, name)
    uml = host.driver is DriverKind.UML
    given = iter([address])
    return HostPlan(
        name=host.name,
        role=host.role or Role.SPARE,
        uuid=str(uuid),
        serial=f"LAB{uuid.hex[:9].upper()}",
        driver=host.driver,
        libvirt_uri=host.libvirt_uri,
        memory_mib=host.memory_mib,
        cpus=host.cpus,
        boot_mode=BootMode.LEGACY if uml else BootMode.UEFI,
        nics=tuple(
            NicPlan(
                mac=card.mac or macs.next(number),
                bridge=BRIDGES[card.wire or Wire.EXTERNAL],
                port=f"{_digits(lab.said.name, 4)}h{number}n{place}",
                # The first external card has the host's address; further ones have what they get.
                address=next(given, None) if card.wire is Wire.EXTERNAL else None,
            )
            for place, card in enumerate(host.cards)
        ),
        disks=tuple(
            DiskPlan(
                size_gib=size,
                serial=f"D{place}{_digits(f'{name}/{place}', 12).upper()}",
                wwn=f"0x3{_digits(f'{name}/{place}/wwn', 15)}",  # 3: numbered by whoever made it
            )
            for place, size in enumerate(host.disks_gib)
        ),
        bmc=bmc,
        faults=tuple(fault_plan(fault) for _, fault in host.faults),
    )


class _Macs:
    """MAC addresses of made-up cards: QEMU's prefix, one byte of the lab, the host, the card."""

    def __init__(self, lab: Outline) -> None:
        self._lab = sha256(lab.said.name.encode()).digest()[0]
        self._used: set[str] = {card.mac for host in lab.hosts for card in host.cards if card.mac}

    def next(self, host: int) -> MacAddress:
        free = (one for one in self._of(host) if one not in self._used)
        found = next(free)
        self._used.add(found)
        return MacAddress(found)

    def _of(self, host: int) -> Iterator[str]:
        return (f"52:54:00:{self._lab:02x}:{host:02x}:{card:02x}" for card in count())


def _uplink(name: str) -> str:
    whole = f"ingot-{name}"
    return whole if len(whole) <= LINK_NAME else f"ingot-{_digits(name, 9)}"


def _digits(text: str, number: int) -> str:
    return sha256(text.encode()).hexdigest()[:number]


def _text(secret: Secret | None) -> str | None:
    return secret.reveal() if secret else None


def _given(network: object) -> IPv4Network | None:
    return network if isinstance(network, IPv4Network) else None


def _ipv4(address: object) -> IPv4Address | None:
    return address if isinstance(address, IPv4Address) else None
