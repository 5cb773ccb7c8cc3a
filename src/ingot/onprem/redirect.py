"""The way from the VIP to the balancer: VIP:6443 to port 9445 of this node, in nftables.

Only the VIP is matched, so the node's own 6443, which balancers use, is untouched. And only where
the VIP is this node's (`fib daddr type local`): a packet of a pod on its way to a VIP that another
node holds must arrive there as it was sent, and the bootstrap has no balancer. So the rules may
stay in place whoever holds the VIP, and a VIP that arrives is balanced from its first packet.

The table is replaced as a whole in one transaction, and looked at by content. A comment would only
show that somebody once wrote a rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ingot.onprem.haproxy import API, CONFIG, Service
from ingot.onprem.model import Address, Family, Situation
from ingot.onprem.problem import BadAnswerError
from ingot.process import CommandFailed, run

__all__ = ["TABLE", "Redirect", "ensure", "is_loaded", "redirect_of", "remove"]

TABLE = "ingot_balancer"
WORDS = {Family.IPV4: "ip", Family.IPV6: "ip6"}
CHAINS = {"prerouting": False, "output": True}
"""Chains, and whether they see only what this node sends to itself."""

Rule = tuple[str, str, str, int, int]


@dataclass(frozen=True, slots=True)
class Redirect:
    """Which VIPs are led to the balancer, for which services."""

    vips: tuple[Address, ...]
    services: tuple[Service, ...] = (API, CONFIG)

    def render(self) -> str:
        """Return the transaction that makes the table say this, whatever it said before."""
        chains = "\n".join(self._chain(chain) for chain in CHAINS)
        return f"""\
table inet {TABLE}
delete table inet {TABLE}
table inet {TABLE} {{
{chains}}}
"""

    def _chain(self, chain: str) -> str:
        rules = "".join(
            f"        {_line(rule)}\n" for rule in sorted(self.rules()) if rule[0] == chain
        )
        return f"""\
    chain {chain} {{
        type nat hook {chain} priority -100; policy accept;
{rules}    }}
"""

    def rules(self) -> frozenset[Rule]:
        """Return the rules as values: chain, family, VIP, port, port of the balancer."""
        return frozenset(
            (chain, WORDS[Family(vip.version)], str(vip), service.server_port, service.port)
            for chain in CHAINS
            for vip in self.vips
            for service in self.services
        )


def redirect_of(situation: Situation) -> Redirect:
    """Return what is to be redirected on a node that has a balancer."""
    return Redirect(situation.cluster.api_vips)


def _line(rule: Rule) -> str:
    chain, family, vip, port, to = rule
    match = f"fib daddr type local {family} daddr {vip} tcp dport {port}"
    if chain == "output":
        return f'oifname "lo" {match} redirect to :{to}'
    at = f"[{vip}]" if family == WORDS[Family.IPV6] else vip
    return f"{match} dnat {family} to {at}:{to}"


def is_loaded(redirect: Redirect, listed: str) -> bool:
    """Return whether what is loaded, by `nft -j list table`, is exactly this.

    Raises:
        BadAnswerError: this is not what nft says.
    """
    try:
        objects = json.loads(listed)["nftables"]
        chains = {(one["name"], one.get("hook")) for one in _each(objects, "chain")}
        rules = [_read(one) for one in _each(objects, "rule")]
    except (ValueError, KeyError, TypeError) as error:
        raise BadAnswerError("nft", listed) from error
    expected = redirect.rules()
    return (
        chains == {(chain, chain) for chain in CHAINS}
        and len(rules) == len(expected)
        and set(rules) == expected
    )


def _each(objects: list[dict[str, dict[str, object]]], kind: str) -> Iterator[dict[str, object]]:
    return (one[kind] for one in objects if kind in one)


def _read(rule: dict[str, object]) -> Rule | None:
    """Return a loaded rule as a value, or None where it is none of ours, in any detail."""
    chain = str(rule["chain"])
    expressions = rule["expr"]
    if not isinstance(expressions, list):
        return None
    for family in WORDS.values():
        for service in (API, CONFIG):
            vip = _daddr(expressions, family)
            if vip is None:
                continue
            wanted: Rule = (chain, family, vip, service.server_port, service.port)
            if _same(expressions, _expressions(wanted)):
                return wanted
    return None


def _daddr(expressions: list[object], family: str) -> str | None:
    for one in expressions:
        match = one.get("match") if isinstance(one, dict) else None
        if match and match["left"] == {"payload": {"protocol": family, "field": "daddr"}}:
            return str(match["right"])
    return None


def _expressions(rule: Rule) -> list[object]:
    chain, family, vip, port, to = rule
    matches = [
        _match({"fib": {"result": "type", "flags": "daddr"}}, "local"),
        _match({"payload": {"protocol": family, "field": "daddr"}}, vip),
        _match({"payload": {"protocol": "tcp", "field": "dport"}}, port),
    ]
    if CHAINS.get(chain):
        return [_match({"meta": {"key": "oifname"}}, "lo"), *matches, {"redirect": {"port": to}}]
    return [*matches, {"dnat": {"family": family, "addr": vip, "port": to}}]


def _match(left: object, right: object) -> object:
    return {"match": {"op": "==", "left": left, "right": right}}


def _same(loaded: object, wanted: object) -> bool:
    """Compare what nft shows; some versions show a list of one flag, others the flag."""
    return _plain(loaded) == _plain(wanted)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        plain = [_plain(one) for one in value]
        return plain[0] if len(plain) == 1 and isinstance(plain[0], str) else plain
    return value


def ensure(redirect: Redirect) -> bool:
    """Make the kernel redirect exactly this, and return whether it did not before.

    Raises:
        CommandFailed: nft refuses, and nothing has changed.
    """
    listed = _listed()
    if listed is not None and is_loaded(redirect, listed):
        return False
    run(["nft", "-f", "-"], stdin=redirect.render(), remedy="see `nft list ruleset`")
    return True


def remove() -> None:
    """Remove the redirect; connections that it has led live on.

    Raises:
        CommandFailed: nft refuses.
    """
    run(["nft", "-f", "-"], stdin=f"table inet {TABLE}\ndelete table inet {TABLE}\n")


def _listed() -> str | None:
    try:
        return run(["nft", "-j", "list", "table", "inet", TABLE])
    except CommandFailed:
        return None  # There is no such table; where nft itself is at fault, writing says so.
