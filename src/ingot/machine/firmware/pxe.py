"""Booting from the network: the boot ROM fetches a program, which is iPXE, which runs scripts.

The program is fetched for real, so that a server without it is found out, but it cannot run here:
this is its stand-in. Whether it is iPXE can only be told by its name.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ingot.dhcp.message import Option
from ingot.machine.firmware.console import Console
from ingot.machine.firmware.dhcp.client import Lease, lease_from
from ingot.machine.firmware.dhcp.identity import Identity
from ingot.machine.firmware.disk import disk_target
from ingot.machine.firmware.download import DownloadFailed, Downloads, without_password
from ingot.machine.firmware.ipxe.interpreter import interpret
from ingot.machine.firmware.ipxe.outcome import Outcome
from ingot.machine.firmware.ipxe.session import Session
from ingot.machine.firmware.ipxe.settings import Settings
from ingot.machine.firmware.ipxe.value import BadValue, Value
from ingot.machine.firmware.kernelfile import is_script
from ingot.machine.firmware.media import media_target
from ingot.machine.firmware.network import Card, opened_card
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.firmware.timing import Timing
from ingot.machine.home import Home, Parts
from ingot.machine.model import BootMode, BootSource, MachineSpec

__all__ = ["NetworkBoot", "is_ipxe"]

_IPXE_NAMES = re.compile(r"(undionly|ipxe|snponly|snp)[^/]*$", re.IGNORECASE)
BUILD = {BootMode.LEGACY: ("i386", "pcbios"), BootMode.UEFI: ("x86_64", "efi")}
"""The architecture that iPXE was built for, and the firmware it was built for."""
VENDOR, PRODUCT = "Ingot", "lab machine"


def is_ipxe(file: str) -> bool:
    """Say whether a boot file is a build of iPXE, by the names that those have."""
    return bool(_IPXE_NAMES.search(file))


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkBoot:
    """One attempt."""

    home: Home
    spec: MachineSpec
    parts: Parts
    mode: BootMode
    console: Console
    downloads: Downloads
    timing: Timing

    def outcome(self) -> Outcome:
        """Boot from the first card.

        Raises:
            NotBootable: the boot ROM got nothing to run.
        """
        if not self.spec.nics:
            raise NotBootable("there is no network card")
        with opened_card(self.parts.namespace) as card:
            self.downloads.say = lambda text: self.console.say(f"PXE: {text}")
            content, url = self._boot_program(card)
            world = _World(self, card)
            self.downloads.say = world.say
            session = Session(world, self._settings(), url)
            self.console.say(f"iPXE: started on net0 {self.spec.nics[0].mac}")
            if is_script(content):
                return interpret(session, "chain", url)
            return interpret(session, "autoboot")

    def _boot_program(self, card: Card) -> tuple[bytes, str]:
        """Do what the boot ROM does; return the start of the program, and where it came from."""
        lease = self._lease(card, is_ipxe=False)
        file = lease.message.boot_file
        if not file:
            raise NotBootable(
                f"the DHCP server {lease.server} named no boot file",
                remedy="see whether it is the one of the provisioning network",
            )
        url = f"tftp://{lease.message.boot_server}/{quote(file.removeprefix('/'))}"
        self.console.doing(f"fetching {file}", BootSource.NETWORK)
        with self.downloads.fetch(url).open("rb") as program:
            head = program.read(64)
        if not is_ipxe(file) and not is_script(head):
            raise NotBootable(f"the boot file {file} is not iPXE, which is all that runs here")
        return head, url

    def _lease(self, card: Card, *, is_ipxe: bool) -> Lease:
        identity = Identity(
            mac=self.spec.nics[0].mac, uuid=self.spec.uuid, mode=self.mode, is_ipxe=is_ipxe
        )
        who = "iPXE" if is_ipxe else "PXE"
        self.console.doing(f"DHCP as {who}", BootSource.NETWORK)
        lease = lease_from(
            card.name,
            identity,
            lambda text: self.console.say(f"{who}: {text}"),
            delays=self.timing.ipxe if is_ipxe else self.timing.rom,
        )
        card.use(lease.address, next(iter(lease.message.addresses(Option.ROUTER)), None))
        self.downloads.servers = lease.message.addresses(Option.DNS)
        self.downloads.domain = lease.message.text(Option.DOMAIN)
        return lease

    def _settings(self) -> Settings:
        architecture, platform = BUILD[self.mode]
        return Settings(
            {
                "": {
                    "buildarch": Value.of(architecture),
                    "platform": Value.of(platform),
                    "uuid": Value.of(self.spec.uuid, "uuid"),
                    "serial": Value.of(self.spec.name),
                    "manufacturer": Value.of(VENDOR),
                    "product": Value.of(PRODUCT),
                    "version": Value.of("1.21.1"),
                },
                **{
                    f"net{number}": {"mac": Value.of(nic.mac, "hex")}
                    for number, nic in enumerate(self.spec.nics)
                },
            }
        )


@dataclass(frozen=True, slots=True)
class _World:
    """What scripts do to the machine and its network."""

    boot: NetworkBoot
    card: Card

    def say(self, text: str) -> None:
        self.boot.console.say(f"iPXE: {text}")

    def pause(self, seconds: float) -> None:
        self.boot.console.doing(f"iPXE waits for {seconds:g} s", BootSource.NETWORK)
        time.sleep(seconds)

    def fetch(
        self, url: str, *, stall: float | None = None, form: Mapping[str, str] | None = None
    ) -> Path:
        self.boot.console.doing(f"fetching {without_password(url)}", BootSource.NETWORK)
        began = time.monotonic()
        try:
            return self.boot.downloads.fetch(url, stall=stall, form=form)
        except DownloadFailed:
            time.sleep(max(0.0, self.boot.timing.failure - (time.monotonic() - began)))
            raise

    def configure(self) -> Mapping[str, Value]:
        return dhcp_settings(self.boot._lease(self.card, is_ipxe=True))  # noqa: SLF001 - its other half

    def local_disk(self, number: int) -> Target:
        if not 0 <= number < len(self.boot.spec.disks):
            raise NotBootable(f"there is no disk {number}")
        return disk_target(
            self.boot.home.disk(number),
            kernel=self.boot.parts.kernel,
            fresh=self.boot.downloads.fresh,
            say=self.say,
        )

    def disc(self, image: Path) -> Target:
        return media_target(
            image,
            self.boot.mode,
            source=BootSource.NETWORK,
            fresh=self.boot.downloads.fresh,
            say=self.say,
        )


def dhcp_settings(lease: Lease) -> dict[str, Value]:
    """Return what a lease says, under the names that scripts know it by."""
    message = lease.message
    texts = {
        "ip": (str(lease.address.ip), "ipv4"),
        "netmask": (str(lease.address.netmask), "ipv4"),
        "dhcp-server": (str(lease.server), "ipv4"),
        "next-server": (message.boot_server, "ipv4"),
        "filename": (message.boot_file, "string"),
        "hostname": (message.text(Option.HOST_NAME), "string"),
        "domain": (message.text(Option.DOMAIN), "string"),
        "root-path": (message.text(Option.ROOT_PATH), "string"),
        "user-class": ("iPXE", "string"),
    }
    settings: dict[str, Value] = {}
    for name, (text, kind) in texts.items():
        if text:
            # A boot server may be a name instead of an address.
            settings[name] = Value.of(text)
            with suppress(BadValue):
                settings[name] = Value.of(text, kind)
    for name, option in (("gateway", Option.ROUTER), ("dns", Option.DNS)):
        if message.options.get(option):
            settings[name] = Value(message.options[option], "ipv4")
    return settings
