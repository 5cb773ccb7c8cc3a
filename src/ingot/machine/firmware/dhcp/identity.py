"""Who asks: what a boot ROM and what iPXE tell a DHCP server about themselves.

Servers choose by it. metal3's, for one, gives iPXE itself to a boot ROM, by its architecture, and a
script to whoever sends option 175.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from ingot.dhcp.message import Option
from ingot.machine.model import BootMode, MacAddress

__all__ = ["Identity"]

ARCHITECTURES = {BootMode.LEGACY: 0, BootMode.UEFI: 7}
"""By RFC 4578: `Intel x86PC`, and x64 UEFI as everybody sends it."""
UNDI_VERSION = (2, 1)
LARGEST_MESSAGE = 1472
WANTED = (
    Option.NETMASK, Option.ROUTER, Option.DNS, Option.HOST_NAME, Option.DOMAIN, Option.ROOT_PATH,
    Option.VENDOR, Option.LEASE_SECONDS, Option.SERVER, Option.VENDOR_CLASS, Option.TFTP_SERVER,
    Option.BOOT_FILE, Option.IPXE,
)  # fmt: skip
IPXE_FEATURES = (0x13, 0x14, 0x15, 0x17, 0x22)
"""HTTP, HTTPS, TFTP, DNS and ELF, by iPXE's numbers within option 175."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A machine as its network boot program presents it."""

    mac: MacAddress
    uuid: str
    mode: BootMode
    is_ipxe: bool = False

    @property
    def hardware_address(self) -> bytes:
        """The MAC as bytes."""
        return bytes.fromhex(self.mac.replace(":", ""))

    def options(self) -> dict[int, bytes]:
        """Return what each message to a server says."""
        architecture = ARCHITECTURES[self.mode]
        major, minor = UNDI_VERSION
        said = {
            Option.LARGEST_MESSAGE: LARGEST_MESSAGE.to_bytes(2, "big"),
            Option.VENDOR_CLASS: (
                f"PXEClient:Arch:{architecture:05}:UNDI:{major:03}{minor:03}".encode()
            ),
            Option.ARCHITECTURE: architecture.to_bytes(2, "big"),
            Option.UNDI: bytes((1, major, minor)),
            # The first byte says that it is a UUID; its order is that of SMBIOS.
            Option.UUID: b"\0" + UUID(self.uuid).bytes_le,
            Option.WANTED: bytes(WANTED),
        }
        if self.is_ipxe:
            said[Option.USER_CLASS] = b"iPXE"
            said[Option.IPXE] = b"".join(bytes((feature, 1, 1)) for feature in IPXE_FEATURES)
        return {int(number): value for number, value in said.items()}
