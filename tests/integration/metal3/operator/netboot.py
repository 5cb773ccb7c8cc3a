"""Boot servers on a wire of their own, and a network card at its other end.

dnsmasq and nginx are those of the metal3 image, told what the metal3 pod tells them, and run as its
containers run them.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from urllib.request import urlopen

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.ironic.conf.dnsmasq import Dnsmasq, LeaseRange
from ingot.ironic.conf.nginx import WebServer
from ingot.machine import namespaces
from ingot.machine.firmware.dhcp.client import lease_from
from ingot.machine.firmware.dhcp.identity import Identity
from ingot.machine.model import BootMode, MacAddress
from ingot.payload.debianlayers import metal3_root
from tests.integration.ironic.root import inside

CARD = "card"
MAC = "52:54:00:b1:00:01"
SERVERS = {4: "172.22.0.2", 6: "fd00:1101::2"}
PREFIXES = {4: 24, 6: 64}
TRIES = 30
NODE = "6e1dcb10-7a76-46bb-944a-2774bd75604b"
SHARED_FILES = (
    "tftp/snponly-x86_64.efi",
    "html/boot.ipxe",
    f"html/pxelinux.cfg/{MAC.replace(':', '-')}",
    f"html/{NODE}/deploy_kernel",
    f"html/{NODE}/deploy_ramdisk",
)

_SOLICIT, _REQUEST = 1, 3
_CLIENT_ID, _SERVER_ID, _IA, _IA_ADDRESS, _WANTED, _ELAPSED, _ARCHITECTURE = 1, 2, 3, 5, 6, 8, 61
_BOOT_FILE_URL = 59


@dataclass(frozen=True)
class Wire:
    """Two namespaces: where boot servers are, and where a server is."""

    servers: str
    client: str

    def run(self, *command: str) -> None:
        subprocess.run(["ip", *command], check=True, timeout=30)

    def hold(self, version: int, address: str) -> None:
        """Give the card an address."""
        there = f"{address}/{PREFIXES[version]}"
        dad = ("nodad",) if version == 6 else ()
        self.run("-n", self.client, "address", "replace", there, "dev", CARD, *dad)

    def lease(self, version: int, mac: str = MAC) -> str:
        """Ask for an address as a boot ROM does; return it. Over IPv4, any card can be played."""
        return namespaces.inside(
            self.client, _lease_ipv6 if version == 6 else lambda: _lease(MacAddress(mac))
        )

    def fetch(self, version: int, path: str) -> bytes:
        """Fetch a file by HTTP."""
        server = SERVERS[version] if version == 4 else f"[{SERVERS[version]}]"

        def fetched() -> bytes:
            with urlopen(f"http://{server}:6180{path}", timeout=60) as answer:
                content: bytes = answer.read()
                return content

        return namespaces.inside(self.client, fetched)

    def fetch_by_tftp(self, version: int, name: str) -> bytes:
        """Fetch a small file by TFTP."""

        def fetched() -> bytes:
            family = socket.AF_INET if version == 4 else socket.AF_INET6
            with socket.socket(family, socket.SOCK_DGRAM) as wire:
                wire.settimeout(60)
                wire.sendto(b"\0\1" + name.encode() + b"\0octet\0", (SERVERS[version], 69))
                block, peer = wire.recvfrom(600)
                assert block[:2] == b"\0\3", block
                wire.sendto(b"\0\4" + block[2:4], peer)
                return block[4:]

        return namespaces.inside(self.client, fetched)


@dataclass(frozen=True)
class BootServers:
    """Those that run."""

    root: Path
    dnsmasq: subprocess.Popen[bytes]
    nginx: subprocess.Popen[bytes]

    @property
    def logs(self) -> Path:
        return self.root / "shared/log"


@contextmanager
def laid_wire() -> Iterator[Wire]:
    """Lay one; it is gone afterwards."""
    wire = Wire(f"ingot-test-b{os.getpid()}", f"ingot-test-c{os.getpid()}")
    with ExitStack() as ending:
        for name in (wire.servers, wire.client):
            wire.run("netns", "add", name)
            ending.callback(wire.run, "netns", "delete", name)
        wire.run(
            "-n", wire.servers, "link", "add", "provisioning", "type", "veth",
            "peer", "name", CARD, "address", MAC, "netns", wire.client,
        )  # fmt: skip
        wire.run("-n", wire.servers, "link", "set", "lo", "up")
        ends = ((wire.servers, "provisioning", "fe80::1"), (wire.client, CARD, "fe80::2"))
        for name, card, local in ends:
            # The kernel would first ask for two seconds whether somebody has its address.
            wire.run("-n", name, "link", "set", card, "addrgenmode", "none")
            wire.run("-n", name, "link", "set", card, "up")
            wire.run("-n", name, "address", "add", f"{local}/64", "dev", card, "nodad")
        for version, address in SERVERS.items():
            there = f"{address}/{PREFIXES[version]}"
            dad = ("nodad",) if version == 6 else ()
            wire.run("-n", wire.servers, "address", "add", there, "dev", "provisioning", *dad)
        yield wire


def unpacked(folder: Path) -> Path:
    """Return a root with dnsmasq and nginx, and with what a host boots."""
    [made] = make(Store(), [metal3_root()], Silent())
    root = folder / "root"
    root.mkdir()
    tar = made.artefact.path / "root.tar"
    subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    (root / "shared/log").mkdir(parents=True)
    (root / "var/lib/nginx").mkdir(parents=True, exist_ok=True)
    for name in SHARED_FILES:
        file = root / "shared" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name, encoding="utf-8")
    return root


@contextmanager
def serving(wire: Wire, root: Path, *, limit: int) -> Iterator[BootServers]:
    """Run dnsmasq and nginx as the metal3 pod does; they are gone afterwards.

    Args:
        wire: where.
        root: what they are taken from.
        limit: how long their logs may get.
    """
    dnsmasq = Dnsmasq(
        interface="provisioning",
        server=IPv6Address(SERVERS[6]),
        http_url=f"http://{SERVERS[4]}:6180",
        ranges=(
            LeaseRange(
                first=IPv4Address("172.22.0.10"), last=IPv4Address("172.22.0.99"), prefix=24
            ),
            LeaseRange(
                first=IPv6Address("fd00:1101::10"), last=IPv6Address("fd00:1101::99"), prefix=64
            ),
        ),
    )
    web = WebServer()
    (root / "etc/dnsmasq.conf").write_text(dnsmasq.render(), encoding="utf-8")
    (root / "etc/nginx.conf").write_text(web.render(), encoding="utf-8")
    for old in (root / "shared/log").iterdir():
        old.unlink()
    commands = {
        "USR2": (dnsmasq.log_file, ("/usr/sbin/dnsmasq", "--conf-file=/etc/dnsmasq.conf")),
        "USR1": (web.boot_log, ("/usr/sbin/nginx", "-c", "/etc/nginx.conf")),
    }
    with ExitStack() as ending:
        started = []
        for reopen, (log, command) in commands.items():
            own = [
                sys.executable, "-m", "ingot.metal3.operator.boots",
                str(root / log.relative_to("/")), reopen, "--limit", str(limit), "--echo", "--",
                *inside(root, *command, namespace=wire.servers),
            ]  # fmt: skip
            said = ending.enter_context((root / f"{reopen}.out").open("wb"))
            process = ending.enter_context(
                subprocess.Popen(
                    own, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
                )
            )
            ending.callback(process.send_signal, signal.SIGTERM)
            started.append(process)
        yield BootServers(root, *started)


def _lease(mac: MacAddress) -> str:
    uuid = "44454c4c-0000-1000-8000-000000000001"
    identity = Identity(mac=mac, uuid=uuid, mode=BootMode.UEFI)
    return str(lease_from(CARD, identity, lambda _: None).address.ip)


def _lease_ipv6() -> str:
    """Ask as UEFI does: by a UUID, from which nobody can tell the card (RFC 6355)."""
    number = socket.if_nametoindex(CARD)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, CARD.encode())
        wire.bind(("::", 546, 0, number))
        wire.settimeout(2)

        def ask(kind: int, options: dict[int, bytes]) -> dict[int, bytes]:
            who = {_CLIENT_ID: b"\0\4" + bytes(range(16)), _ELAPSED: b"\0\0"}
            boots = {_ARCHITECTURE: b"\0\7", _WANTED: _BOOT_FILE_URL.to_bytes(2)}
            said = _options_of(who | options | boots)
            message = bytes([kind]) + secrets.token_bytes(3) + said
            for _ in range(TRIES):  # the server may not listen yet
                wire.sendto(message, ("ff02::1:2", 547, 0, number))
                with suppress(TimeoutError):
                    return _read_options(wire.recv(4096)[4:])
            raise TimeoutError("no DHCP server answered over IPv6")

        offered = ask(_SOLICIT, {_IA: bytes(12)})
        given = ask(_REQUEST, {_IA: offered[_IA], _SERVER_ID: offered[_SERVER_ID]})
    address = _read_options(given[_IA][12:])[_IA_ADDRESS]
    return str(IPv6Address(address[:16]))


def _options_of(options: dict[int, bytes]) -> bytes:
    return b"".join(struct.pack("!HH", code, len(one)) + one for code, one in options.items())


def _read_options(data: bytes) -> dict[int, bytes]:
    found = {}
    while data:
        code, size = struct.unpack("!HH", data[:4])
        found[code], data = data[4 : 4 + size], data[4 + size :]
    return found
