"""What the metal3 pod is told: settings.json.

All mistakes are found at once. Nothing in it is secret: credentials and keys are files beside it.
docs/reference/metal3-pod.md has the keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PositiveInt,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from ingot.errors import ExitCode, IngotError
from ingot.ironic.conf.ironic import Timing
from ingot.metal3.api.provisioning import ProvisioningNetwork
from ingot.metal3.operator.options import VARIABLES

__all__ = [
    "Address",
    "DhcpRange",
    "Ports",
    "Settings",
    "SettingsError",
    "Trust",
    "parse",
    "read",
    "told",
]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAC: Final = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
_TIMES: Final = {to_camel(one.name): one.name for one in fields(Timing)}

CONSOLES: Final = ("nofb", "nomodeset", "vga=normal", "console=tty0", "console=ttyS0,115200n8")
"""As the agent's own ISO has them: the serial console is the one that is recorded."""


class SettingsError(IngotError):
    """The settings cannot be used.

    Attributes:
        mistakes: each with its key.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, source: str, mistakes: list[str]) -> None:
        super().__init__(
            f"{source} cannot be used: " + "; ".join(mistakes),
            remedy="write it as docs/reference/metal3-pod.md says",
        )
        self.mistakes = mistakes


def _mac(text: str) -> str:
    lower = text.lower()
    if not _MAC.fullmatch(lower):
        raise ValueError(f"{text!r} is no MAC address")
    return lower


def _words(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


def _one_line(text: str) -> str:
    if not text.isprintable() or '"' in text:
        raise ValueError("has a line break or a quote in it")
    return text


Mac = Annotated[str, AfterValidator(_mac)]
Line = Annotated[str, AfterValidator(_one_line)]


class Trust(StrEnum):
    """How the agent knows Ironic's API."""

    CA = "ca"
    """By the CA, which it is told of by a kernel argument."""
    INSECURE = "insecure"
    """It takes whoever answers."""


class _Part(BaseModel):
    """A part of the settings: immutable, and nothing unknown in it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Ports(_Part):
    """Where the pod listens."""

    api: PositiveInt = 6385
    http: PositiveInt = 6180
    https: PositiveInt = 6183
    health: PositiveInt = 9440


class DhcpRange(_Part):
    """The addresses that hosts are given while they are provisioned."""

    first: Address
    last: Address
    network: Network
    gateway: IPv4Address | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if {self.first.version, self.last.version} != {self.network.version}:
            raise ValueError("first, last and network are not of one IP version")
        for address in (self.first, self.last, *([self.gateway] if self.gateway else [])):
            if address not in self.network:
                raise ValueError(f"{address} is not in {self.network}")
        if int(self.first) > int(self.last):
            raise ValueError(f"{self.first} comes after {self.last}")
        return self

    def __contains__(self, address: Address) -> bool:
        """Return whether an address may be handed out."""
        same = address.version == self.first.version
        return same and int(self.first) <= int(address) <= int(self.last)


class Settings(_Part):
    """Everything that the pod is told.

    Attributes:
        mode: who runs the provisioning network.
        provisioning_ip: the address that hosts reach the services at; without a provisioning
            network, the API VIP.
        interface_mac: the card on the provisioning network; None: the one with that address.
        interface: the same by its name.
        interface_macs: the same on several machines: each has one of these.
        kept_in: the pod itself keeps `provisioning_ip` on that card, as an address of this network;
            None: the machine has it.
        dhcp: what is handed out, in Managed.
        allowed_macs: the boot MACs of all hosts; nobody else is answered. A pod that keeps its own
            address answers all BareMetalHosts besides.
        external_addresses: where BMCs fetch virtual media, and agents booted from it find Ironic;
            one of each IP version at most. Empty: at `provisioning_ip`.
        virtual_media_tls: BMCs fetch virtual media encrypted.
        ntp: time servers of agents; the first is also told by DHCP where it is an address.
        dns: the DNS server that DHCP tells of.
        bmc_ca: certificates in PEM form that BMCs' own are checked against.
        trust: how agents know Ironic's API.
        ssh_keys: who may log in to the ramdisk.
        kernel_parameters: further words for the ramdisk's kernel.
        fast_track: the ramdisk stays up between inspection, cleaning and deployment.
        timing: seconds, by the names of `ingot.ironic.conf.ironic.Timing`.
        operator: variables of the operator, beyond those that follow from the above.
        debug: Ironic says more.
    """

    mode: ProvisioningNetwork
    provisioning_ip: Address
    interface_mac: Mac | None = None
    interface: Line = ""
    interface_macs: tuple[Mac, ...] = ()
    kept_in: Network | None = None
    dhcp: DhcpRange | None = None
    allowed_macs: tuple[Mac, ...] = ()
    external_addresses: tuple[Address, ...] = ()
    virtual_media_tls: bool = False
    ntp: tuple[Line, ...] = ()
    dns: Address | None = None
    bmc_ca: str = ""
    trust: Trust = Trust.CA
    ssh_keys: tuple[Line, ...] = ()
    kernel_parameters: Annotated[tuple[Line, ...], BeforeValidator(_words)] = CONSOLES
    fast_track: bool = True
    timing: Mapping[str, PositiveInt] = {}
    operator: Mapping[str, str] = {}
    ports: Ports = Ports()
    debug: bool = False

    @property
    def has_network(self) -> bool:
        """Whether hosts boot over a provisioning network."""
        return self.mode is not ProvisioningNetwork.DISABLED

    @property
    def times(self) -> Timing:
        """How long things may take."""
        return Timing(**{_TIMES[name]: seconds for name, seconds in self.timing.items()})

    def external(self, version: int) -> Address | None:
        """Return the external address of an IP version."""
        return next((one for one in self.external_addresses if one.version == version), None)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if mistakes := list(self._mistakes()):
            raise ValueError("; ".join(mistakes))
        return self

    def _mistakes(self) -> Iterator[str]:
        managed = self.mode is ProvisioningNetwork.MANAGED
        if managed and self.dhcp is None:
            yield "dhcp is missing: Managed hands out addresses"
        if self.dhcp is not None and not managed:
            yield f"dhcp is given, and {self.mode} hands out no addresses"
        if self.dhcp is not None and self.provisioning_ip in self.dhcp:
            yield f"provisioningIp {self.provisioning_ip} is within the range of dhcp"
        if self.dhcp is not None and self.provisioning_ip not in self.dhcp.network:
            yield f"provisioningIp {self.provisioning_ip} is not in {self.dhcp.network}"
        if self.kept_in is not None and self.provisioning_ip not in self.kept_in:
            yield f"provisioningIp {self.provisioning_ip} is not in keptIn {self.kept_in}"
        versions = [one.version for one in self.external_addresses]
        if len(versions) != len(set(versions)):
            yield "externalAddresses has two of one IP version"
        if self.bmc_ca and _CERTIFICATE not in self.bmc_ca:
            yield "bmcCa holds no certificate in PEM form"
        for name in self.timing.keys() - _TIMES.keys():
            yield f"timing.{name} is none of {', '.join(sorted(_TIMES))}"
        for name in self.operator.keys() - VARIABLES.keys():
            yield f"operator.{name} is no variable of the operator"


def parse(text: str | bytes, *, source: str = "settings.json") -> Settings:
    """Return what a file's content says.

    Raises:
        SettingsError: it cannot be used.
    """
    try:
        return Settings.model_validate_json(text)
    except ValidationError as error:
        raise SettingsError(source, list(told(error))) from error


def read(path: Path) -> Settings:
    """Return what a file says.

    Raises:
        SettingsError: it is not there, or cannot be used.
    """
    try:
        return parse(path.read_bytes(), source=str(path))
    except OSError as error:
        raise SettingsError(str(path), [f"it cannot be read: {error.strerror}"]) from error


def told(error: ValidationError) -> Iterator[str]:
    """Return what is wrong, each with its key."""
    for one in error.errors(include_url=False, include_input=False):
        where = ".".join(map(str, one["loc"]))
        what = one["msg"].removeprefix("Value error, ")
        yield f"{where}: {what}" if where else what
