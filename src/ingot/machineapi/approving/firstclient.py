"""A kubelet's first certificate as a client: the moment in which a server becomes a Node.

A server proves itself by the bootstrap token that the config server has made for it alone. The
token puts who uses it into a group with the host's name, and the API server writes that group into
the request. So it is known which server asks, and it may ask for its own name and for no other.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from ingot.kube.joiners import host_in
from ingot.machineapi.approving.request import NODE_USER, NODES, Request
from ingot.machineapi.approving.verdict import Approve, Deny, Verdict, Wait
from ingot.machineapi.approving.world import Subject, World
from ingot.machineapi.seeing import MachineSeen

__all__ = ["judge_first_client"]

BOOTSTRAPPERS: Final = "system:bootstrappers"
EARLY: Final = timedelta(seconds=10)
"""Clocks of API servers differ a little; so much is upstream's allowance."""

LATE: Final = timedelta(hours=2)
"""Upstream's too; there from the Machine's creation, which may be long before it gets a host."""

_TOKEN_USER: Final = re.compile(r"system:bootstrap:[a-z0-9]{6}")


def judge_first_client(request: Request, world: World) -> Verdict:
    """Return what is said to who asks with a bootstrap token."""
    host = host_in(request.groups)
    if not host or not _TOKEN_USER.fullmatch(request.user) or BOOTSTRAPPERS not in request.groups:
        return Wait(f"{request.user} did not use a token that was made for one host")
    wrong = _wrong_in_itself(request, host)
    if wrong:
        return Deny(wrong)
    subject = world.of_host(host)
    waits = _missing(subject, host) or _mistimed(request, subject, world.now)
    if waits:
        return Wait(waits)
    return Approve(f"{host} asked with its own token, and Machine {_machine(subject).key} uses it")


def _wrong_in_itself(request: Request, host: str) -> str:
    asked = request.asked
    if asked is None:
        return "it cannot be read, or is not signed with its own key"
    if not request.is_for("client auth"):
        return f"a kubelet's client needs no certificate for {', '.join(sorted(request.usages))}"
    if not asked.for_nobody:
        return "the certificate of a client is for no address and no host name"
    if asked.organisations != (NODES,):
        return f"its organisation is not {NODES}"
    if asked.node != host:
        return f"it asks for {', '.join(asked.names)} with the token of {NODE_USER}{host}"
    return ""


def _missing(subject: Subject, name: str) -> str:  # noqa: PLR0911 - a table
    host, machine, node = subject.host, subject.machine, subject.node
    if host is None:
        return f"there is no BareMetalHost {name}"
    if host.going:
        return f"BareMetalHost {host.key} is being deleted"
    if machine is None:
        return f"no Machine uses BareMetalHost {host.key}"
    if machine.going:
        return f"Machine {machine.key} is being deleted"
    if not host.in_use:
        return f"BareMetalHost {host.key} is {host.state or 'new'}, not provisioned"
    if machine.node not in ("", name):
        return f"Machine {machine.key} has another Node, {machine.node}"
    if node is not None and node.ready:
        return f"Node {name} is there and ready"
    return ""


def _mistimed(request: Request, subject: Subject, now: datetime) -> str:
    created, machine = request.created or now, _machine(subject)
    if machine.created is not None and created < machine.created - EARLY:
        return f"it was made before Machine {machine.key}"
    installed = subject.host.provisioned_at if subject.host else None
    since = installed or machine.created
    if since is not None and created > since + LATE:
        hours = LATE.total_seconds() / 3600
        return f"it was made more than {hours:g} hours after its host was provisioned"
    return ""


def _machine(subject: Subject) -> MachineSeen:
    assert subject.machine is not None  # noqa: S101 - looked for before
    return subject.machine
