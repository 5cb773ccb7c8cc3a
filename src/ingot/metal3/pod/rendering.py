"""The programs' configurations, from the pod's settings and what its machine is like.

Everything of one installation is decided here, and nothing is read or written.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.ironic.conf import ironic as conf
from ingot.ironic.conf.dnsmasq import Dnsmasq, LeaseRange
from ingot.ironic.conf.ipxe import InspectorScript
from ingot.ironic.conf.ironic import IronicConf, TlsFiles
from ingot.ironic.conf.nginx import WebServer
from ingot.metal3.pod import places
from ingot.metal3.pod.settings import Address, Settings, Trust

__all__ = ["Machine", "UnusableCaError", "agent_parameters", "rendered", "url"]

ROOT: Final = "root"
"""Whose rights the boot servers have: root's, in containers where root has next to no capabilities.
The files that Ironic makes for them are root's."""

LONGEST_CA: Final = 1024
"""Characters of a CA's certificate on a command line of 2048, which has to hold the rest too."""

TLS: Final = TlsFiles(places.GIVEN / "tls.crt", places.GIVEN / "tls.key")


class UnusableCaError(IngotError):
    """Agents cannot be told of the CA that signed Ironic's certificate."""

    exit_code = ExitCode.USAGE

    def __init__(self, what: str) -> None:
        super().__init__(
            f"ca.crt {what}",
            remedy="give the certificate of one CA with an elliptic key, in PEM form",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What was found where the pod runs.

    Attributes:
        interface: the card on the provisioning network; "" where there is no such network.
        ipv6: whether there is IPv6 at all.
    """

    interface: str
    ipv6: bool


def rendered(
    settings: Settings, machine: Machine, *, ca: str, htpasswd: str
) -> Mapping[PurePosixPath, str]:
    """Return every file that the programs read, with its content.

    Args:
        settings: what the pod was told.
        machine: where it runs.
        ca: who has signed Ironic's certificate, in PEM form.
        htpasswd: who may use Ironic's API.

    Raises:
        UnusableCaError: agents cannot be told of the CA.
        UnusableValueError: a value cannot be written into a file.
    """
    files = {
        places.IRONIC_CONF: _ironic(settings, machine, ca).render(),
        places.NGINX_CONF: _web(settings, machine).render(),
        places.HTPASSWD: htpasswd,
        places.INSPECTOR: _stranger(settings, ca).render(),
    }
    if settings.bmc_ca:
        files[places.BMC_CA] = settings.bmc_ca
    if settings.has_network:
        files[places.DNSMASQ_CONF] = _dnsmasq(settings, machine).render()
    return files


def url(scheme: str, address: Address, port: int) -> str:
    """Return the address of a service."""
    host = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004 - IPv6
    return f"{scheme}://{host}:{port}"


def agent_parameters(settings: Settings, ca: str) -> str:
    """Return the words for the kernel of the agent's ramdisk.

    Raises:
        UnusableCaError: agents cannot be told of the CA.
    """
    return " ".join(_parameters(settings, ca))


def _parameters(settings: Settings, ca: str) -> Iterator[str]:
    yield from settings.kernel_parameters
    for key in settings.ssh_keys:
        yield f'sshkey="{key}"'
    if settings.trust is Trust.CA:
        yield f"ingot.ca={_argument(ca)}"
    else:
        yield "ipa-insecure=1"
    if settings.ntp:
        yield f"ipa-ntp-server={settings.ntp[0]}"


def _argument(ca: str) -> str:
    try:
        argument = base64.b64encode(ssl.PEM_cert_to_DER_cert(ca.strip())).decode("ascii")
    except ValueError as error:
        raise UnusableCaError(f"is no certificate: {error}") from error
    if len(argument) > LONGEST_CA:
        raise UnusableCaError(
            f"has {len(argument)} characters where a kernel's command line has room for "
            f"{LONGEST_CA}"
        )
    return argument


def _ironic(settings: Settings, machine: Machine, ca: str) -> IronicConf:
    ports, own = settings.ports, settings.provisioning_ip
    outside = settings.external(4) or settings.external(6) or own
    media = ("https", ports.https) if settings.virtual_media_tls else ("http", ports.http)
    return IronicConf(
        my_ip=str(own),
        urls=conf.Urls(
            api=url("https", own, ports.api),
            http=url("http", own, ports.http),
            external_api=url("https", outside, ports.api),
            external_http=url(media[0], outside, media[1]),
        ),
        api=conf.Api(
            listen="::" if machine.ipv6 else "0.0.0.0",  # noqa: S104 - hosts and BMCs come from anywhere
            port=ports.api,
            htpasswd=places.HTPASSWD,
            tls=TLS,
        ),
        ramdisk=conf.Ramdisk(
            kernel=f"file://{conf.RAMDISK}/kernel",
            initrd=f"file://{conf.RAMDISK}/initrd",
            kernel_parameters=agent_parameters(settings, ca),
        ),
        timing=settings.times,
        database=places.DATABASE,
        work=places.WORK,
        fast_track=settings.fast_track,
        bmc_ca=places.BMC_CA if settings.bmc_ca else None,
        debug=settings.debug,
    )


def _web(settings: Settings, machine: Machine) -> WebServer:
    return WebServer(
        port=settings.ports.http,
        tls=TLS if settings.virtual_media_tls else None,
        tls_port=settings.ports.https,
        ipv6=machine.ipv6,
        pid_file=places.NGINX_PID,
        scratch=places.NGINX_SCRATCH,
        user=ROOT,
    )


def _dnsmasq(settings: Settings, machine: Machine) -> Dnsmasq:
    dhcp = settings.dhcp
    ranges = (
        [LeaseRange(first=dhcp.first, last=dhcp.last, prefix=dhcp.network.prefixlen)]
        if dhcp
        else []
    )
    return Dnsmasq(
        interface=machine.interface,
        server=settings.provisioning_ip,
        http_url=url("http", settings.provisioning_ip, settings.ports.http),
        ranges=tuple(ranges),
        allowed=settings.allowed_macs,
        hosts_folder=places.HOSTS if settings.kept_in else None,
        gateway=dhcp.gateway if dhcp else None,
        dns=settings.dns,
        ntp=_address(settings.ntp[0]) if settings.ntp else None,
        lease_file=places.LEASES,
        user=ROOT,
    )


def _address(name: str) -> IPv4Address | None:
    try:
        return IPv4Address(name)
    except ValueError:
        return None


def _stranger(settings: Settings, ca: str) -> InspectorScript:
    web = url("http", settings.provisioning_ip, settings.ports.http)
    words = f"{conf.Ramdisk().inspection_parameters} {agent_parameters(settings, ca)}"
    return InspectorScript(
        api_url=url("https", settings.provisioning_ip, settings.ports.api),
        kernel_url=f"{web}/images/kernel",
        initrd_url=f"{web}/images/initrd",
        parameters=words,
    )
