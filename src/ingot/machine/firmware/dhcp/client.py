"""The exchange with a DHCP server: discover, offer, request, acknowledgement."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface

from ingot.dhcp.message import Kind, Malformed, Message, Option
from ingot.machine.firmware.dhcp.identity import Identity
from ingot.machine.firmware.target import NotBootable

__all__ = ["DELAYS", "IPXE_DELAYS", "Lease", "NoLease", "lease_from"]

DELAYS = (4.0, 8.0, 16.0, 32.0)
"""How long a boot ROM waits for each of its questions, by the PXE specification."""
IPXE_DELAYS = (1.0, 2.0, 4.0, 8.0, 10.0, 10.0)
"""The same of iPXE, about."""
BETTER_OFFER_SECONDS = 1.0
"""How long an offer without a boot file waits for one that has one."""
CLIENT_PORT, SERVER_PORT = 68, 67
EVERYBODY = "255.255.255.255"


class NoLease(NotBootable):
    """No server answered, or none agreed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a server gave.

    Attributes:
        address: ours, with the size of the network.
        server: who gave it.
        message: everything else it said.
    """

    address: IPv4Interface
    server: IPv4Address
    message: Message


def lease_from(
    card: str,
    identity: Identity,
    say: Callable[[str], None],
    *,
    delays: Sequence[float] = DELAYS,
) -> Lease:
    """Ask for an address and for something to boot.

    Args:
        card: the network device; it is up and has no address.
        identity: who asks.
        say: told each step.
        delays: how long to wait after each question.

    Raises:
        NoLease: after the last delay.
    """
    try:
        return _lease_from(card, identity, say, delays)
    except OSError as broken:
        raise NoLease(f"{card}: {broken}") from broken


def _lease_from(
    card: str, identity: Identity, say: Callable[[str], None], delays: Sequence[float]
) -> Lease:
    began = time.monotonic()
    with _socket(card) as wire:
        for number, delay in enumerate(delays, 1):
            say(f"DHCP discover, {number} of {len(delays)}")
            transaction = random.getrandbits(32)
            question = _Question(wire, identity, transaction, began)
            offer = question.best_offer(delay)
            if offer is None:
                continue
            boot = offer.boot_file
            say(
                f"DHCP offer {offer.address} from {_server(offer)}, "
                + (f"boot file {boot}" if boot else "no boot file")
            )
            answer = question.request(offer, delay)
            if answer is None:
                say("DHCP server did not confirm its offer")
            elif answer.kind == Kind.NAK:
                say(f"DHCP server withdrew its offer {answer.text(Option.MESSAGE)}".rstrip())
            else:
                return _lease(answer)
    raise NoLease(
        f"no DHCP server gave an address within {sum(delays):.0f} seconds",
        remedy="see whether a DHCP server runs on the network of the first card",
    )


@dataclass(frozen=True, slots=True)
class _Question:
    wire: socket.socket
    identity: Identity
    transaction: int
    began: float

    def best_offer(self, seconds: float) -> Message | None:
        """Return the first offer with a boot file, or else the first."""
        self._send(Kind.DISCOVER, {})
        deadline = time.monotonic() + seconds
        poor: Message | None = None
        while True:
            offer = next(self._answers({Kind.OFFER}, deadline), None)
            if offer is None or offer.boot_file:
                return offer or poor
            if poor is None:
                deadline = min(deadline, time.monotonic() + BETTER_OFFER_SECONDS)
            poor = poor or offer

    def request(self, offer: Message, seconds: float) -> Message | None:
        """Accept an offer; return what the server says to that."""
        self._send(
            Kind.REQUEST,
            {
                Option.REQUESTED_ADDRESS: offer.address.packed,
                Option.SERVER: offer.options.get(Option.SERVER, b""),
            },
        )
        return next(self._answers({Kind.ACK, Kind.NAK}, time.monotonic() + seconds), None)

    def _send(self, kind: Kind, more: dict[int, bytes]) -> None:
        options = {int(Option.KIND): bytes((kind,)), **more, **self.identity.options()}
        message = Message(
            reply=False,
            transaction=self.transaction,
            mac=self.identity.hardware_address,
            seconds=min(int(time.monotonic() - self.began), 0xFFFF),
            options=options,
        )
        self.wire.sendto(message.encode(), (EVERYBODY, SERVER_PORT))

    def _answers(self, kinds: set[Kind], deadline: float) -> Iterator[Message]:
        while (left := deadline - time.monotonic()) > 0:
            self.wire.settimeout(left)
            try:
                message = Message.decode(self.wire.recv(4096))
            except TimeoutError:
                return
            except Malformed:
                continue
            mine = message.reply and message.transaction == self.transaction
            if mine and message.mac == self.identity.hardware_address and message.kind in kinds:
                yield message


def _socket(card: str) -> socket.socket:
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, card.encode())
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        wire.bind(("", CLIENT_PORT))
    except OSError:
        wire.close()
        raise
    return wire


def _server(message: Message) -> IPv4Address:
    return next(iter(message.addresses(Option.SERVER)), message.next_server)


def _lease(message: Message) -> Lease:
    mask = next(iter(message.addresses(Option.NETMASK)), IPv4Address("255.255.255.0"))
    try:
        address = IPv4Interface(f"{message.address}/{mask}")
    except ValueError as wrong:
        raise NoLease(f"the DHCP server gave {message.address} with netmask {mask}") from wrong
    return Lease(address=address, server=_server(message), message=message)
