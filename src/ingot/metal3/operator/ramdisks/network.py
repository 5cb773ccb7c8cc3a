"""The network settings of a host's ramdisk, as far as they are known."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.kube.kind import ObjectKey
from ingot.metal3.host.observation import RamdiskSeen, RamdiskState
from ingot.metal3.operator.hostdata import Mistake, described
from ingot.metal3.operator.secrets import Secret

__all__ = ["KEY", "Network", "judge_network", "look", "missing"]

KEY = "networkData"


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What is known of them.

    Attributes:
        version: of the Secret; "" where it is not there, or none is named.
        why: what keeps them from being used; "" if nothing does.
        is_wrong: somebody has to correct that; otherwise it is over in a moment.
    """

    version: str = ""
    why: str = ""
    is_wrong: bool = False


def look(key: ObjectKey, secret: Secret | None, *, is_missing: bool) -> Network:
    """Return what is known of the settings that a host names.

    Args:
        key: the Secret.
        secret: it, where it is watched already.
        is_missing: it was looked for, and is not there.
    """
    if secret is None:
        return Network(why=missing(key), is_wrong=is_missing)
    try:
        described(secret, KEY)
    except Mistake as mistake:
        return Network(version=secret.version, why=str(mistake), is_wrong=True)
    return Network(version=secret.version)


def judge_network(network: Network) -> RamdiskSeen:
    """Return whether the site's own ramdisk can be booted with such settings."""
    if not network.why:
        return RamdiskSeen(version=network.version)
    state = RamdiskState.FAILED if network.is_wrong else RamdiskState.PENDING
    return RamdiskSeen(state=state, version=network.version, why=network.why)


def missing(key: ObjectKey) -> str:
    """Say that a Secret is not there."""
    return f"the Secret {key} with its network data is not there: create it"
