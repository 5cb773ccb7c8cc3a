"""haproxy on the control plane: the API and the config server, balanced over all of it.

* Backends have slots. Those known when the file is written are in it, so that a haproxy that starts
  anew is right at once; the others are spare, and filled through its socket without a reload.
* A server is asked often and believed slowly: two misses take it out, within a second where it
  refuses, and three good answers take it in. The field asks every five seconds; its newer values
  (rise 3, fall 2, a slow start of a minute, sessions ended with their server) are kept.
* A connection that a server refuses is offered to the next at once (`redispatch`), so the death of
  an API server costs a client nothing but its open connections. With the field's ten seconds to
  connect, a server that is switched off would cost ten.
* Where the system allows fewer open files than its connections need, it serves fewer (`no
  strict-limits`); by default it would not start.
* It listens on every address, since the redirect leads VIP:6443 to VIP:9445; its health and its
  statistics are for this node alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.onprem.model import Address, Family, Role, Situation, family_of

__all__ = [
    "API",
    "CONFIG",
    "HEALTH_PORT",
    "READY_PORT",
    "SLOTS",
    "STATS_PORT",
    "Haproxy",
    "Service",
    "backends_of",
    "haproxy_of",
]

SLOTS = 16
"""More control-plane nodes than etcd can have members, with room for those that leave."""

READY_PORT = 9444
"""`/haproxy_ready`: haproxy runs."""

HEALTH_PORT = 9454
"""`/haproxy_monitor`: it also has an API server that is up."""

STATS_PORT = 29445


@dataclass(frozen=True, slots=True)
class Service:
    """One service of the control plane.

    Attributes:
        name: of the frontend, the backend, and with a number of each slot.
        port: where haproxy listens.
        server_port: where each node serves it, and clients of the VIP expect it.
        health: the path that answers with 200 where it is well.
    """

    name: str
    port: int
    server_port: int
    health: str


API = Service("api", 9445, 6443, "/readyz")
CONFIG = Service("config", 9446, 22623, "/healthz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Haproxy:
    """Everything that haproxy is told.

    Attributes:
        backends: the addresses of the control plane.
        families: those that it listens in.
        socket: where it is asked and told things while it runs.
        services: what it balances.
    """

    backends: tuple[Address, ...]
    families: tuple[Family, ...]
    socket: Path
    services: tuple[Service, ...] = (API, CONFIG)

    def render(self) -> str:
        """Return haproxy.cfg."""
        services = "\n".join(self._service(service) for service in self.services)
        return f"""\
# Rendered by ingot-node; changes are lost.
global
    log stdout format raw local0 notice alert
    maxconn 40000
    no strict-limits
    stats socket {self.socket} mode 600 level admin expose-fd listeners

defaults
    mode tcp
    log global
    maxconn 40000
    retries 3
    option redispatch 1
    option dontlognull
    timeout http-request 30s
    timeout queue 1m
    timeout connect 1s
    timeout client 1m
    timeout server 1m
    timeout tunnel 5m
    timeout client-fin 1s
    timeout server-fin 1s
    timeout check 3s

listen ready
    bind 127.0.0.1:{READY_PORT}
    mode http
    monitor-uri /haproxy_ready

listen health
    bind 127.0.0.1:{HEALTH_PORT}
    mode http
    monitor-uri /haproxy_monitor
    acl without_backend nbsrv({API.name}) lt 1
    monitor fail if without_backend

listen stats
    bind 127.0.0.1:{STATS_PORT}
    mode http
    stats enable
    stats hide-version
    stats uri /haproxy_stats
    stats refresh 30s

{services}"""

    def _service(self, service: Service) -> str:
        binds = "\n".join(_bind(family, service.port) for family in self.families)
        servers = "".join(
            f"    server {service.name}{slot} {_at(address, service.server_port)}\n"
            for slot, address in enumerate(self.backends, start=1)
        )
        spare = f"{len(self.backends) + 1}-{SLOTS}"
        return f"""\
frontend {service.name}
{binds}
    default_backend {service.name}

backend {service.name}
    balance roundrobin
    option httpchk
    http-check send meth GET uri {service.health} ver HTTP/1.1 hdr Host {service.name}
    http-check expect status 200
    default-server check check-ssl verify none weight 256 slowstart 60s
    default-server inter 1s fastinter 250ms downinter 1s rise 3 fall 2
    default-server observe layer4 error-limit 2 on-error sudden-death
    default-server on-marked-down shutdown-sessions
{servers}    server-template {service.name} {spare} 0.0.0.0:{service.server_port} disabled
"""


def haproxy_of(situation: Situation, *, socket: Path) -> Haproxy | None:
    """Return what haproxy is told on a node, or None where none is wanted.

    It runs on the control plane, unless the balancer is the user's. Backends are of the family of
    the first API VIP, as clients inside the cluster are.
    """
    cluster = situation.cluster
    if situation.role is not Role.CONTROL_PLANE or cluster.user_managed_balancer:
        return None
    return Haproxy(
        backends=backends_of(situation),
        families=tuple(dict.fromkeys(map(family_of, cluster.api_vips))),
        socket=socket,
    )


def backends_of(situation: Situation) -> tuple[Address, ...]:
    """Return the addresses to balance over, in the order of the nodes' names."""
    family = family_of(situation.cluster.api_vips[0])
    found = (peer.address(family) for peer in situation.control_plane())
    return tuple(address for address in found if address is not None)[: SLOTS - 1]


def _bind(family: Family, port: int) -> str:
    return f"    bind 0.0.0.0:{port}" if family is Family.IPV4 else f"    bind [::]:{port} v6only"


def _at(address: Address, port: int) -> str:
    return f"[{address}]:{port}" if family_of(address) is Family.IPV6 else f"{address}:{port}"
