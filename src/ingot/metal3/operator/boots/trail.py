"""What was seen last of each network card. Web servers see addresses; leases say whose they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from ingot.metal3.operator.boots.sign import Mac, Sign, SignKind

__all__ = ["Signs", "Trail"]

Key = TypeVar("Key")
Value = TypeVar("Value")

KEEP: Final = timedelta(days=1)
"""No boot lasts that long."""
MOST: Final = 8192
"""Cards, addresses and exchanges that are known at once: more than any site has, and some 5 MB."""
_COARSE: Final = timedelta(seconds=1)
"""dnsmasq's log knows no parts of a second, so that a lease may seem older than it is, or newer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What was seen of a server; each is the last time.

    Attributes:
        dhcp: when its network card asked for an address.
        boot_file: when it fetched the boot loader.
        kernel: when it fetched the kernel.
    """

    dhcp: datetime | None = None
    boot_file: datetime | None = None
    kernel: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Holder:
    """Whose an address is.

    Attributes:
        macs: its cards; several where the one that boots is not the one that Ironic knows.
        since: when that was seen first.
        before: whose it was before.
    """

    macs: frozenset[Mac]
    since: datetime
    before: _Holder | None = None

    def at(self, when: datetime) -> frozenset[Mac]:
        """Return whose it was then; of a time before all that is known, the first holder's."""
        holder = self
        while holder.before is not None and holder.since > when + _COARSE:
            holder = holder.before
        return holder.macs


class Trail:
    """Signs by network card, for a day, and of no more cards than fit."""

    def __init__(self, *, keep: timedelta = KEEP, most: int = MOST) -> None:
        self._keep = keep
        self._most = most
        self._last: OrderedDict[Mac, dict[SignKind, datetime]] = OrderedDict()
        self._holders: OrderedDict[str, _Holder] = OrderedDict()
        self._exchanges: OrderedDict[str, Mac] = OrderedDict()

    def __len__(self) -> int:
        """Return of how many cards something is known."""
        return len(self._last)

    def add(self, sign: Sign, *, now: datetime) -> None:
        """Keep a sign. One from the future is one of now: two clocks differ."""
        at = min(sign.at, now)
        for mac in self._whose(replace(sign, at=at)):
            last = self._last.setdefault(mac, {})
            last[sign.kind] = max(at, last.get(sign.kind, at))
            self._last.move_to_end(mac)
        self._forget(now)

    def signs(self, macs: Iterable[str]) -> Signs:
        """Return what was seen of a server with these network cards."""
        last: dict[SignKind, datetime] = {}
        for mac in macs:
            for kind, at in self._last.get(Mac(mac.lower()), {}).items():
                last[kind] = max(at, last.get(kind, at))
        return Signs(
            dhcp=last.get(SignKind.DHCP),
            boot_file=last.get(SignKind.BOOT_FILE),
            kernel=last.get(SignKind.KERNEL),
        )

    def _whose(self, sign: Sign) -> frozenset[Mac]:
        """Return the cards that a sign is of, and learn from it whose its address is."""
        mac = sign.mac
        if sign.transaction is not None:
            if mac is not None:
                _note(self._exchanges, sign.transaction, mac, self._most)
            else:
                mac = self._exchanges.get(sign.transaction)
        if sign.address is None:
            return frozenset({mac} if mac else ())
        holder = self._holders.get(sign.address)
        if mac is not None:
            holder = _held(holder, mac, sign)
            _note(self._holders, sign.address, holder, self._most)
        return holder.at(sign.at) if holder else frozenset()

    def _forget(self, now: datetime) -> None:
        while self._last:
            mac, last = next(iter(self._last.items()))
            if len(self._last) <= self._most and now - max(last.values()) <= self._keep:
                return
            del self._last[mac]


def _held(holder: _Holder | None, mac: Mac, sign: Sign) -> _Holder:
    """Return whose an address is from now on."""
    if holder is None:
        return _Holder(frozenset({mac}), sign.at)
    if mac in holder.macs:
        return holder
    if sign.kind is not SignKind.DHCP:  # a server that asks for the script of another card of its
        return replace(holder, macs=holder.macs | {mac})
    return _Holder(frozenset({mac}), sign.at, replace(holder, before=None))


def _note(notes: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> None:
    notes[key] = value
    notes.move_to_end(key)
    while len(notes) > most:
        notes.popitem(last=False)
