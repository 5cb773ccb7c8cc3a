"""This node's place in etcd: read from what kubeadm wrote, and asked from the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from ingot.node.etcd import Etcd, EtcdError, Member
from ingot.node.joining.situation import Membership

__all__ = ["Place", "leave", "look_up", "place_in"]

CLIENT_PORT: Final = 2379
_ARGUMENT: Final = re.compile(r"--(initial-cluster|initial-advertise-peer-urls)=(\S+)")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node is in etcd.

    Attributes:
        own_peer: the address by which the others know it.
        others: where they are asked.
    """

    own_peer: str
    others: tuple[str, ...]


def place_in(manifest: str) -> Place | None:
    """Return what etcd's static pod says; None where it says nothing of a cluster."""
    said = {found[1]: found[2].strip("\"'") for found in _ARGUMENT.finditer(manifest)}
    own = said.get("initial-advertise-peer-urls", "")
    if not own:
        return None
    peers = [one.partition("=")[2] for one in said.get("initial-cluster", "").split(",")]
    return Place(own, tuple(_client_url(peer) for peer in peers if peer and peer != own))


def _client_url(peer: str) -> str:
    """Return where a member is asked, which kubeadm puts beside where its peers reach it."""
    host = urlsplit(peer).hostname or ""
    return f"https://{f'[{host}]' if ':' in host else host}:{CLIENT_PORT}"


async def look_up(etcd: Etcd, place: Place) -> Membership:
    """Return what this node is to etcd, as the first of the others that answers knows it.

    Raises:
        EtcdError: none does.
    """
    own = _own(await _members(etcd, place.others), place)
    if own is None:
        return Membership.NONE
    return Membership.LEARNER if own.learner else Membership.VOTER


async def leave(etcd: Etcd, place: Place) -> None:
    """Have the others forget this node, so that it can come anew; its data is then of no use.

    Raises:
        EtcdError: none of them answers, or does it.
    """
    own = _own(await _members(etcd, place.others), place)
    if own is not None:
        await etcd.remove(place.others, own.number)


async def _members(etcd: Etcd, urls: Sequence[str]) -> tuple[Member, ...]:
    failed: EtcdError | None = None
    for url in urls:
        try:
            return await etcd.members(url)
        except EtcdError as error:
            failed = error
        except OSError as error:  # its certificates are not there
            raise EtcdError(
                f"etcd cannot be asked: {error}",
                remedy="see whether kubeadm has written its certificates",
            ) from error
    raise failed or EtcdError("etcd has no other member", remedy="see etcd's static pod")


def _own(members: Sequence[Member], place: Place) -> Member | None:
    return next((one for one in members if place.own_peer in one.peers), None)
