"""dnsmasq on the provisioning network: addresses, and what to boot, for hosts that boot from it.

A network card's own firmware gets iPXE over TFTP, by its architecture; iPXE, which asks again, gets
its script over HTTP. The architectures are those of RFC 4578 and IANA's list after it: 7 and 9 are
UEFI on x86_64, 11 is UEFI on 64-bit ARM, and what is none of these is a BIOS. iPXE is known by its
own option, 175, or over IPv6 by its user class. There is no BIOS over IPv6.

There is no DNS, and no gateway unless one is given: nothing on this network needs the world.

It logs into a file, which the operator follows to see who boots; dnsmasq itself never shortens it,
so it is to be run by `ingot.metal3.operator.boots`. `log-dhcp` is needed for that: over IPv6 the
MAC address of who asks is told only there. Times in it are those of dnsmasq's time zone: UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import PurePosixPath

from ingot.ironic.conf.ironic import TFTP
from ingot.ironic.conf.value import one_line

__all__ = ["LOG", "ROMS", "BootFiles", "Dnsmasq", "LeaseRange"]

LEASES = PurePosixPath("/run/dnsmasq.leases")
LOG = PurePosixPath("/shared/log/dnsmasq.log")
ROMS = {
    "undionly.kpxe": PurePosixPath("/usr/lib/ipxe/undionly.kpxe"),
    "snponly-x86_64.efi": PurePosixPath("/usr/lib/ipxe/snponly.efi"),
    "snponly-arm64.efi": PurePosixPath("/usr/lib/ipxe/ipxe-arm64.efi"),
}
"""What has to be below the TFTP root, and where the metal3 image has it. Debian has no `snponly`
for ARM, but a full iPXE, which brings drivers of its own; no ARM server has tried it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRange:
    """Addresses to hand out.

    Attributes:
        first: the first of them.
        last: the last of them.
        prefix: how many bits of them are the network's.
        lease: for how long they are handed out, in dnsmasq's words.
    """

    first: IPv4Address | IPv6Address
    last: IPv4Address | IPv6Address
    prefix: int
    lease: str = "1h"

    @property
    def is_ipv6(self) -> bool:
        """Whether these are IPv6 addresses."""
        return self.first.version == 6  # noqa: PLR2004 - IPv6

    def render(self) -> str:
        """Return its line."""
        if self.is_ipv6:
            return f"dhcp-range={self.first},{self.last},{self.prefix},{one_line(self.lease)}"
        mask = IPv4Address((0xFFFFFFFF << (32 - self.prefix)) & 0xFFFFFFFF)
        return f"dhcp-range={self.first},{self.last},{mask},{one_line(self.lease)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BootFiles:
    """iPXE for each kind of firmware, below the TFTP root."""

    bios: str = "undionly.kpxe"
    x86_64: str = "snponly-x86_64.efi"
    arm64: str = "snponly-arm64.efi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dnsmasq:
    """Everything that dnsmasq is told.

    Attributes:
        interface: the network card on the provisioning network.
        server: our own address there.
        http_url: the web server, as hosts there reach it.
        ranges: addresses to hand out; none: no DHCP, only TFTP.
        allowed: the MAC addresses that are answered; None: everyone is.
        hosts_folder: a folder of files with further `MAC` lines, which dnsmasq reads whenever one
            is added, without being started again.
        gateway: the way out, if hosts are to have one.
        dns: the DNS server that hosts are told, if any.
        ntp: the time server that hosts are told, if any.
        boot_files: what is loaded by which firmware.
        lease_file: where it keeps who has which address.
        log_file: where it writes who asks and what it gave; its folder has to be there.
        user: whose rights it has.
    """

    interface: str
    server: IPv4Address | IPv6Address
    http_url: str
    ranges: tuple[LeaseRange, ...]
    allowed: tuple[str, ...] | None = None
    hosts_folder: PurePosixPath | None = None
    gateway: IPv4Address | None = None
    dns: IPv4Address | IPv6Address | None = None
    ntp: IPv4Address | None = None
    boot_files: BootFiles = BootFiles()
    lease_file: PurePosixPath = LEASES
    log_file: PurePosixPath = LOG
    user: str = "dnsmasq"

    def render(self) -> str:
        """Return dnsmasq.conf.

        Raises:
            UnusableValueError: a value has a line break in it.
        """
        ranges = "\n".join(one.render() for one in self.ranges)
        return f"""\
port=0
keep-in-foreground
log-facility={one_line(self.log_file)}
log-dhcp
pid-file
user={one_line(self.user)}
interface={one_line(self.interface)}
except-interface=lo
bind-dynamic

{ranges}
dhcp-leasefile={one_line(self.lease_file)}
{"".join(f"{line}{chr(10)}" for line in self._audience())}
{"".join(f"{line}{chr(10)}" for line in self._options())}
{self._boot_ipv4() if self._has(ipv6=False) else ""}
{self._boot_ipv6() if self._has(ipv6=True) else ""}
enable-tftp
tftp-root={TFTP}
"""

    def _has(self, *, ipv6: bool) -> bool:
        return any(one.is_ipv6 == ipv6 for one in self.ranges)

    def _audience(self) -> Iterator[str]:
        for mac in self.allowed or ():
            yield f"dhcp-host={one_line(mac)}"
        if self.hosts_folder is not None:
            yield f"dhcp-hostsdir={one_line(self.hosts_folder)}"
        if self.allowed is not None:
            yield "dhcp-ignore=tag:!known"

    def _options(self) -> Iterator[str]:
        # Named without a value, an option is not sent: dnsmasq would offer itself.
        if self._has(ipv6=False):
            yield f"dhcp-option=option:router{_after(self.gateway)}"
            yield f"dhcp-option=option:dns-server{_after(self.dns, version=4)}"
            if self.ntp is not None:
                yield f"dhcp-option=option:ntp-server,{self.ntp}"
        if self._has(ipv6=True):
            yield "enable-ra"
            yield "ra-param=*,0,0"  # we are no router
            yield f"dhcp-option=option6:dns-server{_after(self.dns, version=6)}"

    def _boot_ipv4(self) -> str:
        files = self.boot_files
        return f"""\
dhcp-match=set:ipxe,175
dhcp-match=set:efi-x86_64,option:client-arch,7
dhcp-match=set:efi-x86_64,option:client-arch,9
dhcp-match=set:efi-arm64,option:client-arch,11
dhcp-boot=tag:ipxe,{one_line(self.http_url)}/boot.ipxe
dhcp-boot=tag:!ipxe,tag:efi-x86_64,{one_line(files.x86_64)}
dhcp-boot=tag:!ipxe,tag:efi-arm64,{one_line(files.arm64)}
dhcp-boot=tag:!ipxe,tag:!efi-x86_64,tag:!efi-arm64,{one_line(files.bios)}
"""

    def _boot_ipv6(self) -> str:
        files, at = self.boot_files, f"tftp://[{self.server}]"
        return f"""\
dhcp-userclass=set:ipxe6,iPXE
dhcp-match=set:efi6-x86_64,option6:61,0007
dhcp-match=set:efi6-x86_64,option6:61,0009
dhcp-match=set:efi6-arm64,option6:61,000b
dhcp-option=tag:ipxe6,option6:bootfile-url,{one_line(self.http_url)}/boot.ipxe
dhcp-option=tag:!ipxe6,tag:efi6-x86_64,option6:bootfile-url,{at}/{one_line(files.x86_64)}
dhcp-option=tag:!ipxe6,tag:efi6-arm64,option6:bootfile-url,{at}/{one_line(files.arm64)}
"""


def _after(address: IPv4Address | IPv6Address | None, *, version: int = 4) -> str:
    """Return an address as the rest of an option, or nothing."""
    if address is None or address.version != version:
        return ""
    return f",[{address}]" if version == 6 else f",{address}"  # noqa: PLR2004 - IPv6
