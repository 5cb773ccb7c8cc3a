"""CoreDNS on every node: the cluster's own names, and everything else from the node's resolver.

* `api`, `api-int` and the nodes are in a hosts file, which CoreDNS reads again when it changes;
  `*.apps` is a template. A name of ours without an address of the family asked for is answered
  with nothing, not passed on: somebody outside would say that it does not exist. That a node's name
  does not exist is not kept: it may come any time.
* Port 53 is closed to other networks. The field left it open; whoever deploys without DNS outside
  names the clients' networks. Others are not answered at all, which tells nothing and cannot be
  turned against a third party.
* It listens on this node's own addresses and on loopback, never on a VIP: whoever asked there would
  be cut off when it moves.
* Servers outside are asked in their order. A random one would answer wrongly where, as is common,
  only the first knows the site's own names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path

from ingot.onprem.model import Address, Family, Network, Situation, family_of

__all__ = ["HEALTH_PORT", "Coredns", "coredns_of"]

HEALTH_PORT = 18080
TTL = 30
NAME_TTL = 5
"""How long an old address of a node may live on; CoreDNS caches nothing for less."""

LOOPBACK: dict[Family, tuple[Address, Network]] = {
    Family.IPV4: (IPv4Address("127.0.0.1"), IPv4Network("127.0.0.0/8")),
    Family.IPV6: (IPv6Address("::1"), IPv6Network("::1/128")),
}
FEWEST_SECONDS = "2s"
"""The shortest time between two looks at the Corefile that CoreDNS accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coredns:
    """Everything that CoreDNS is told.

    Attributes:
        domain: the cluster's.
        listen: the addresses it listens on.
        port: 53, unless this is a trial.
        clients: who may ask.
        upstreams: who is asked for everything else, in this order.
        hosts_file: where `hosts` is written to.
        names: the names in it, each with its addresses.
        apps: what every name below `apps` stands for; nothing: they are answered elsewhere.
        health: whether it tells at port 18080 that it lives.
    """

    domain: str
    listen: tuple[Address, ...]
    clients: tuple[Network, ...]
    upstreams: tuple[Address, ...]
    hosts_file: Path
    names: tuple[tuple[Address, tuple[str, ...]], ...]
    apps: tuple[Address, ...]
    port: int = 53
    health: bool = True

    def hosts(self) -> str:
        """Return the hosts file."""
        lines = "".join(f"{address} {' '.join(names)}\n" for address, names in self.names)
        return f"# Rendered by ingot-node; changes are lost.\n{lines}"

    def render(self) -> str:
        """Return the Corefile."""
        listen = " ".join(map(str, self.listen))
        clients = " ".join(map(str, self.clients))
        upstreams = " ".join(_server(one) for one in self.upstreams)
        health = f"    health 127.0.0.1:{HEALTH_PORT}\n" if self.health else ""
        apps = "".join(self._apps(family) for family in Family) if self.apps else ""
        return f"""\
# Rendered by ingot-node; changes are lost.
.:{self.port} {{
    bind {listen}
    errors
    acl {{
        allow net {clients}
        drop
    }}
{health}    bufsize 1232
    hosts {self.hosts_file} {{
        ttl {NAME_TTL}
        reload 1s
        fallthrough
    }}
{apps}    forward . {upstreams} {{
        policy sequential
    }}
    cache {TTL} {{
        disable denial {self.domain}
    }}
    reload {FEWEST_SECONDS} 1s
}}
"""

    def for_trial(self) -> Coredns:
        """Return the same on a free port of loopback, for CoreDNS to show that it accepts it."""
        return replace(self, listen=(LOOPBACK[Family.IPV4][0],), port=0, health=False)

    def _apps(self, family: Family) -> str:
        kind = "A" if family is Family.IPV4 else "AAAA"
        here = (one for one in self.apps if family_of(one) == family)
        answers = "".join(
            f'        answer "{{{{ .Name }}}} {TTL} IN {kind} {address}"\n' for address in here
        )
        return f"""\
    template IN {kind} {self.domain} {{
        match "[.]apps[.]{re.escape(self.domain).replace(chr(92) + ".", "[.]")}[.]$"
{answers or "        rcode NOERROR" + chr(10)}        fallthrough
    }}
"""


def coredns_of(situation: Situation, *, upstreams: Iterable[Address], hosts_file: Path) -> Coredns:
    """Return what CoreDNS is told on a node."""
    cluster = situation.cluster
    families = [one.family for one in situation.own]
    own = [one.address for one in situation.own]
    return Coredns(
        domain=cluster.domain,
        listen=(*(LOOPBACK[family][0] for family in families), *own),
        clients=tuple(
            dict.fromkeys(
                (
                    *(LOOPBACK[family][1] for family in families),
                    *(one.network for one in situation.own),
                    *cluster.dns_clients,
                )
            )
        ),
        upstreams=tuple(upstreams),
        hosts_file=hosts_file,
        names=tuple(_names(situation)),
        apps=() if cluster.external_dns else cluster.ingress_vips,
    )


def _names(situation: Situation) -> Iterator[tuple[Address, tuple[str, ...]]]:
    domain = situation.cluster.domain
    if not situation.cluster.external_dns:
        for vip in situation.cluster.api_vips:
            yield vip, (f"api.{domain}", f"api-int.{domain}")
    for peer in sorted(situation.peers):
        short = peer.name.partition(".")[0]
        names = dict.fromkeys((short, f"{short}.{domain}", peer.name))
        for address in peer.addresses:
            yield address, tuple(names)


def _server(address: Address) -> str:
    return f"[{address}]:53" if family_of(address) is Family.IPV6 else str(address)
