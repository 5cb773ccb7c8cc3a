"""A kubelet's certificate as a server: by it the API server knows whom it sends logs' readers to.

A Node may ask for its own names and addresses. Which are its own is not the kubelet's to say: they
are the Machine's, and those that inspection found on its host. But inspection is over when a system
starts, and DHCP may have given an address to somebody else since: what other Nodes have now is not
its own, whatever was found; and what was found on another host is not that host's for ever. An
address that is not known to be the Node's own may still be one that its present certificate has; or
one of the machine network that nobody else has, where the site allows that.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.machineapi.approving.renewal import no_node_of_ours, not_as_itself
from ingot.machineapi.approving.request import Asked, Request
from ingot.machineapi.approving.verdict import Approve, Deny, Verdict, Wait
from ingot.machineapi.approving.world import Subject, World

__all__ = ["Served", "judge_serving"]


@dataclass(frozen=True, slots=True)
class Served:
    """The certificate that a kubelet has at present, known to be the cluster's and of the Node.

    Attributes:
        names: host names and addresses that it is for.
    """

    names: frozenset[str]


def judge_serving(request: Request, world: World, *, served: Served | None = None) -> Verdict:
    """Return what is said to a Node that asks for the certificate of a server.

    Args:
        request: what it asks for.
        world: what it is held against.
        served: what it has at present, where that was looked at.
    """
    asked = request.asked
    wrong = _wrong_in_itself(request)
    if wrong or asked is None:
        return Deny(wrong)
    subject = world.of_node(asked.node)
    if missing := no_node_of_ours(subject, asked.node):
        return Wait(missing)
    return _by_names(asked, subject, world, served)


def _by_names(  # noqa: PLR0911 - a table
    asked: Asked, subject: Subject, world: World, served: Served | None
) -> Verdict:
    found, held = subject.addresses - world.policy.reserved, world.held(subject)
    strange, unknown = asked.dns - subject.names, asked.addresses - (found - held)
    if not strange and not unknown:
        return Approve(f"all of its names and addresses are known to be those of {asked.node}")
    # What was found on this very host is left to a person: the other Node may only say that it has.
    if taken := (unknown - found) & world.taken(subject):
        return Deny(f"{_listed(taken)} belongs to somebody else")
    if disputed := unknown & held:
        return Wait(f"{_listed(disputed)} is an address of another Node")
    if served is not None and served.names == asked.dns | asked.addresses:
        return Approve(f"it is for what the present certificate of Node {asked.node} is for")
    if strange:
        return Wait(f"{_listed(strange)} is no name of {asked.node}")
    if elsewhere := unknown & world.found_elsewhere(subject):
        return Wait(f"{_listed(elsewhere)} was found on another host, which is no Node")
    if all(world.policy.covers(one) for one in unknown):
        return Approve(f"{_listed(unknown)} is on the machine network, and nobody else's")
    return Wait(f"{_listed(unknown)} is no address that is known of {asked.node}")


def _wrong_in_itself(request: Request) -> str:
    wrong = not_as_itself(request)
    if wrong:
        return wrong
    if not request.is_for("server auth"):
        usages = ", ".join(sorted(request.usages))
        return f"a kubelet's server needs no certificate for {usages}"
    return _wrong_names(request.asked)


def _wrong_names(asked: Asked | None) -> str:
    if asked is None or asked.for_nobody:
        return "the certificate of a server is for some address or host name"
    return "it is for an e-mail address or URI" if asked.other_names else ""


def _listed(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))
