"""Who takes the place of a control-plane Machine that is given up, and in which order.

First etcd forgets the dead member, since a newcomer needs the votes of a majority. Then the Machine
that comes after is made, and takes a spare host. Only then the old one goes. Nothing is begun
without a spare: two members are no safer than three of which one is dead, and it may yet come back.
For that its server has to be on. So for as long as etcd knows the old member, whatever stands in
the way gives the server free again; to wait with it off would make a node that was only out of
reach a vote that is lost.

A spare is a free host with the label of the control plane: what a host becomes is said by its own
user data, and only that of hosts with the label makes one a control-plane node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from ingot.kube.kind import Content
from ingot.machineapi import annotation
from ingot.machineapi.api.providerspec import HostSelector
from ingot.machineapi.etcd import MemberSeen, member_of, why_not_without

__all__ = [
    "REPLACES",
    "SPARE",
    "Blocked",
    "ForgetMember",
    "GiveUp",
    "MakeSuccessor",
    "Plan",
    "Retire",
    "name_after",
    "plan",
    "spare_selector",
    "successor",
]

REPLACES: Final = "ingot.local/replaces"
"""On a Machine that was made in place of another: the other's unique id."""

SPARE: Final = ("installer.openshift.io/role", "control-plane")
"""The label of hosts that may be part of the control plane, as the field's installer sets it."""

_NUMBERED: Final = re.compile(r"(.+)-r([0-9]+)")
_USER_DATA: Final = "{}-user-data"


@dataclass(frozen=True, slots=True)
class Blocked:
    """It cannot go on as things are, and is too far to go back."""

    why: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It cannot go on as things are, and nothing was lost yet: the old server may come back."""

    why: str


@dataclass(frozen=True, slots=True)
class ForgetMember:
    """The other members of etcd are to forget this one."""

    member: MemberSeen


@dataclass(frozen=True, slots=True)
class MakeSuccessor:
    """The Machine that comes after is to be made."""


@dataclass(frozen=True, slots=True)
class Retire:
    """The old Machine is to go."""


Plan: TypeAlias = Blocked | GiveUp | ForgetMember | MakeSuccessor | Retire


def plan(node: str, members: Sequence[MemberSeen], *, made: bool, obstacle: str = "") -> Plan:
    """Return what comes next.

    Args:
        node: the name of the dead node.
        members: of etcd.
        made: whether the Machine that comes after is there.
        obstacle: why it could not be made; "" if it could.
    """
    member = member_of(node, members)
    if why := why_not_without(node, members) or ("" if made else obstacle):
        return Blocked(why) if member is None else GiveUp(why)
    if member is not None:
        return ForgetMember(member)
    return Retire() if made else MakeSuccessor()


def name_after(name: str) -> str:
    """Return what the Machine after one is called: `cp-0`, `cp-0-r1`, `cp-0-r2`."""
    found = _NUMBERED.fullmatch(name)
    return f"{found[1]}-r{int(found[2]) + 1}" if found else f"{name}-r1"


def spare_selector(selector: HostSelector) -> HostSelector:
    """Return which hosts a Machine of the control plane may be replaced on."""
    return replace(selector, match_labels={**selector.match_labels, **dict([SPARE])})


def successor(machine: Content, *, host: str) -> Content:
    """Return a Machine that is made as another was.

    Args:
        machine: the other.
        host: the name of its host, whose own user data the new one must not have: by that a node is
            told who it is.
    """
    metadata, spec = machine["metadata"], machine.get("spec", {})
    provider = dict(spec.get("providerSpec") or {})
    value = dict(provider.get("value") or {})
    if (value.get("userData") or {}).get("name") == _USER_DATA.format(host):
        del value["userData"]
    selector = dict(value.get("hostSelector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), **dict([SPARE])}
    value["hostSelector"] = selector
    kept = {name: spec[name] for name in ("metadata", "taints", "lifecycleHooks") if name in spec}
    labels = {
        name: text for name, text in metadata.get("labels", {}).items() if name != annotation.SET
    }
    return {
        "metadata": {
            "name": name_after(metadata["name"]),
            "namespace": metadata["namespace"],
            "labels": labels,
            "annotations": {REPLACES: metadata["uid"]},
        },
        "spec": {**kept, "providerSpec": {**provider, "value": value}},
    }
