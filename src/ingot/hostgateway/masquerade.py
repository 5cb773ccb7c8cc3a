"""Masquerade of what pods send out of the cluster, in nftables.

Whatever a pod of this node sends to a pod, here or elsewhere, keeps its own source address. To
everybody else it has the node's: they do not know a way to pods, and nodes are no exception, so
that an answer never depends on what routes another machine has (decision 0015).

The table is replaced as a whole in one transaction, and looked at by content. Connections that
have begun stay as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from ingot.hostgateway.conflist import BRIDGE
from ingot.hostgateway.model import Network
from ingot.hostgateway.problem import BadAnswerError
from ingot.process import CommandFailed, run

__all__ = ["TABLE", "Masquerade", "ensure", "is_loaded"]

TABLE: Final = "ingot_hostgateway"
CHAIN: Final = "postrouting"
WORDS: Final = {4: "ip", 6: "ip6"}
SRCNAT: Final = 100


@dataclass(frozen=True, slots=True)
class Masquerade:
    """Whose packets get the node's address, and on their way to whom they do not.

    Attributes:
        sources: the networks of this node's pods.
        cluster: the networks of all pods.
    """

    sources: tuple[Network, ...]
    cluster: tuple[Network, ...]

    def render(self) -> str:
        """Return the transaction that makes the table say this, whatever it said before."""
        inside = "\n".join(f"        {_field(one, 'daddr')} return" for one in self.cluster)
        outside = "\n".join(
            f"        {_field(one, 'saddr')} masquerade fully-random" for one in self.sources
        )
        return f"""\
table inet {TABLE}
delete table inet {TABLE}
table inet {TABLE} {{
    chain {CHAIN} {{
        type nat hook postrouting priority {SRCNAT}; policy accept;
        oifname "{BRIDGE}" return
{inside}
{outside}
    }}
}}
"""

    def expressions(self) -> list[object]:
        """Return the rules as `nft -j` shows them."""
        # What stays on the bridge is seen too where br_netfilter is on, multicast included.
        bridged: list[object] = [_match({"meta": {"key": "oifname"}}, BRIDGE), {"return": None}]
        inside = [[_matched(one, "daddr"), {"return": None}] for one in self.cluster]
        masked = {"masquerade": {"flags": "fully-random"}}
        return [bridged, *inside, *([_matched(one, "saddr"), masked] for one in self.sources)]


def _field(network: Network, field: str) -> str:
    return f"{WORDS[network.version]} {field} {network}"


def _matched(network: Network, field: str) -> object:
    payload = {"payload": {"protocol": WORDS[network.version], "field": field}}
    prefix = {"addr": str(network.network_address), "len": network.prefixlen}
    whole = network.prefixlen == network.max_prefixlen
    return _match(payload, prefix["addr"] if whole else {"prefix": prefix})


def _match(left: object, right: object) -> object:
    return {"match": {"op": "==", "left": left, "right": right}}


def is_loaded(masquerade: Masquerade, listed: str) -> bool:
    """Return whether what is loaded, by `nft -j list table`, is exactly this.

    Raises:
        BadAnswerError: this is not what nft says.
    """
    try:
        objects: list[dict[str, Any]] = json.loads(listed)["nftables"]
        chains = [one["chain"] for one in objects if "chain" in one]
        hooks = [(one["name"], one.get("hook"), one.get("prio")) for one in chains]
        rules = [_plain(one["rule"]["expr"]) for one in objects if "rule" in one]
    except (ValueError, KeyError, TypeError) as error:
        raise BadAnswerError("nft", listed) from error
    return hooks == [(CHAIN, "postrouting", SRCNAT)] and rules == masquerade.expressions()


def _plain(value: object) -> object:
    """Return what nft shows; some versions show a list of one flag, others the flag."""
    if isinstance(value, dict):
        return {
            key: one[0] if key == "flags" and isinstance(one, list) else _plain(one)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


def ensure(masquerade: Masquerade) -> bool:
    """Make the kernel masquerade exactly this, and return whether it did not before.

    Raises:
        CommandFailed: nft refuses, and nothing has changed.
        BadAnswerError: what it says cannot be understood.
    """
    listed = _listed()
    if listed is not None and is_loaded(masquerade, listed):
        return False
    run(["nft", "-f", "-"], stdin=masquerade.render(), remedy="see `nft list ruleset`")
    return True


def _listed() -> str | None:
    try:
        return run(["nft", "-j", "list", "table", "inet", TABLE])
    except CommandFailed:
        return None  # There is no such table; where nft itself is at fault, writing says so.
