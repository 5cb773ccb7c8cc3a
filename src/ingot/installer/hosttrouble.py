"""When a server's errors end the wait for it: a pure decision, look by look.

The operator tries again by itself, after a minute or two, then after two to four, and so on; while
it does, the error is taken back and only its count stays. So a server is in trouble from its first
error until the count is gone too. What a person has to mend is not waited for: a BMC that refuses
its password refuses it the next time as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.installer.progress import HostProgress

__all__ = ["HostFailed", "Trouble", "after_look", "given_up"]

TRIES: Final = 3
TROUBLED_SECONDS: Final = 180.0
STANDING_SECONDS: Final = 600.0
"""One error that stands so long is not tried again, or each try takes that long."""
REFUSED_LOOKS: Final = 2
REFUSED: Final = "the BMC refuses the credentials"
"""How the operator's error begins when a BMC answers, but not to this user."""


class HostFailed(IngotError):  # noqa: N818 - it says what happened
    """A server cannot be made a node."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, host: HostProgress) -> None:
        tried = f", tried {host.attempts} times" if host.attempts > 1 else ""
        super().__init__(
            f"host {host.name} ({host.state}{tried}): {host.error}", remedy=_remedy(host)
        )
        self.host = host


def _remedy(host: HostProgress) -> str:
    if is_refused(host) and host.role != "control-plane":
        return (
            f"correct username and password in the Secret {host.name}-bmc-secret: `kubectl "
            f"--kubeconfig auth/kubeconfig -n metal3 edit secret {host.name}-bmc-secret`, then run "
            "`ingot create cluster` again: it goes on"
        )
    if is_refused(host):
        return (
            f"run `ingot destroy cluster`, correct bmc.username and bmc.password of {host.name} "
            "in install-config.yaml, and run `ingot create cluster`"
        )
    return (
        "mend it, then run `ingot create cluster` again: it goes on; `kubectl --kubeconfig "
        f"auth/kubeconfig -n metal3 describe baremetalhost {host.name}` tells more"
    )


def is_refused(host: HostProgress) -> bool:
    """Return whether a server's BMC does not take the credentials."""
    return host.error.startswith(REFUSED)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is remembered of a server in trouble.

    Attributes:
        since: when the first error was seen.
        error: the last one; empty while it is tried again.
        standing: since when that is the error.
        looks: how often it was seen so, one after the other.
    """

    since: float
    error: str
    standing: float
    looks: int = 1


def after_look(
    known: Mapping[str, Trouble], hosts: Iterable[HostProgress], *, now: float
) -> dict[str, Trouble]:
    """Return who is in trouble after one more look, of those that have yet to be provisioned.

    What goes wrong with the BMC of a server that has its image does not keep it from joining.

    Args:
        known: what this returned at the last look.
        hosts: those that are waited for.
        now: in seconds of any clock.
    """
    found = {}
    for host in hosts:
        if host.is_provisioned or not (host.error or host.attempts):
            continue
        old = known.get(host.name)
        if old is not None and old.error == host.error:
            found[host.name] = Trouble(old.since, old.error, old.standing, old.looks + 1)
        else:
            found[host.name] = Trouble(old.since if old else now, host.error, now)
    return found


def given_up(
    known: Mapping[str, Trouble], hosts: Iterable[HostProgress], *, now: float
) -> HostProgress | None:
    """Return a server that is not waited for any longer, if there is one."""
    return next((one for one in hosts if one.error and _is_over(one, known, now)), None)


def _is_over(host: HostProgress, known: Mapping[str, Trouble], now: float) -> bool:
    trouble = known.get(host.name)
    if trouble is None:
        return False
    if is_refused(host):
        return trouble.looks >= REFUSED_LOOKS
    often = host.attempts >= TRIES and now - trouble.since >= TROUBLED_SECONDS
    return often or now - trouble.standing >= STANDING_SECONDS
