"""What upstream's nodes are told, by its values of August 2026, for the side that we are beside.

The values are upstream's: VRRPv2 with an advert a second, check scripts by keepalived, an API
server that is asked every five seconds, no second server for a refused connection. Three things
are not, and none of them is in a gap: a router id, or keepalived would ask a DNS server that is
not here; where files are; and containers looked for by a file instead of by `crictl`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingot.config.routerids import router_ids
from tests.onprem_site.plan import Address, Cluster, Role, Seat

API_FULL: Final = 68
INGRESS_FULL: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """How haproxy judges API servers."""

    server: str
    announced: bool = False


CURRENT: Final = Checks(server="weight 1 inter 5s fall 3 rise 1")
ANNOUNCED: Final = Checks(
    server="weight 256 inter 5s fastinter 2s fall 2 rise 3 slowstart 60s"
    " on-marked-down shutdown-sessions",
    announced=True,
)
"""Upstream's next values, which were merged after the tree that all others are from."""


def haproxy(checks: Checks, seats: Iterable[Seat], socket: Path) -> str:
    """Return haproxy.cfg of a control-plane node."""
    servers = "\n".join(
        f"    server {seat.name} {seat.address}:6443 {checks.server} verify none check check-ssl"
        for seat in seats
    )
    return f"""\
global
    log stdout format raw local0 notice alert
    maxconn 40000
    no strict-limits
    stats socket {socket} mode 600 level admin expose-fd listeners

defaults
    mode tcp
    log global
    maxconn 40000
    option dontlognull
    retries 3
    timeout http-request 30s
    timeout queue 1m
    timeout connect 10s
    timeout client 1m
    timeout server 1m
    timeout tunnel 5m
    timeout client-fin 1s
    timeout server-fin 1s

frontend main
    bind :::9445 v4v6
    default_backend masters

listen ready
    bind :::9444 v4v6
    mode http
    monitor-uri /haproxy_ready

listen health
    bind :::9454 v4v6
    mode http
    monitor-uri /haproxy_monitor
    acl without_backend nbsrv(masters) lt 1
    monitor fail if without_backend

backend masters
    balance roundrobin
    option httpchk GET /readyz HTTP/1.0
    timeout check 10s
{servers}
"""


def redirect(vip: Address) -> str:
    """Return the way from the VIP to the balancer, as nftables is told."""
    return f"""\
table ip ocp_nat
delete table ip ocp_nat
table ip ocp_nat {{
    chain ocp_prerouting {{
        type nat hook prerouting priority -100; policy accept;
        ip daddr {vip} tcp dport 6443 dnat to {vip}:9445
    }}
    chain ocp_output {{
        type nat hook output priority -100; policy accept;
        oifname "lo" ip daddr {vip} tcp dport 6443 redirect to :9445
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class Script:
    """A program that keepalived starts again and again."""

    name: str
    command: str
    patience: float
    interval: int
    weight: int | None
    fall: int

    def render(self) -> str:
        weight = "" if self.weight is None else f"    weight {self.weight}\n"
        return f"""\
vrrp_script {self.name} {{
    script "/usr/bin/timeout {self.patience} {self.command}"
    interval {self.interval}
{weight}    rise 3
    fall {self.fall}
}}
"""


def scripts(folder: Path, role: Role) -> tuple[tuple[Script, ...], tuple[Script, ...]]:
    """Return the checks for the API's and for the ingress VIP; their programs are in a folder."""
    asking = "/usr/bin/curl -o /dev/null -Lfs http://localhost:1936"
    ingress = (
        Script("chk_ingress_ready", f"{asking}/healthz/ready", 0.9, 1, 10, 2),
        Script("chk_ingress", f"{asking}/healthz", 0.9, 1, None, 2),
        Script("chk_default_ingress", f"{folder}/default.sh", 4.9, 5, 50, 2),
    )
    if role is not Role.CONTROL:
        return (), ingress
    api = (
        Script("chk_ocp_lb", f"{folder}/balancer.sh", 1.9, 2, 20, 3),
        Script("chk_ocp_both", f"{folder}/both.sh", 1.9, 2, 5, 3),
        Script("chk_mcs", f"{folder}/configs.sh", 1.9, 2, 3, 3),
    )
    return api, ingress


def programs(folder: Path) -> dict[str, str]:
    """Return the check programs, by file name; each looks for files in the folder."""
    balancer = (
        "/usr/bin/curl -o /dev/null -Lfs http://localhost:9444/haproxy_ready"
        f" && [ -e {folder}/redirected ]"
    )
    local = "/usr/bin/curl -o /dev/null -kLfs https://localhost:6443/readyz"
    return {
        "balancer.sh": balancer,
        "both.sh": f"({balancer}) || {local}",
        "configs.sh": f"[ -e {folder}/configs ]",
        "default.sh": f"[ -e {folder}/router ]",
    }


GLOBAL: Final = """\
global_defs {
    router_id bench
    enable_script_security
    script_user root
    max_auto_priority -1
    vrrp_garp_master_refresh 60
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One VIP, as a node takes part in holding it."""

    name: str
    router_id: int
    priority: int
    vip: Address
    source: Address
    peers: tuple[Seat, ...]
    tracked: tuple[Script, ...]

    def render(self) -> str:
        peers = "\n".join(f"        {seat.address}" for seat in self.peers)
        tracked = "\n".join(f"        {script.name}" for script in self.tracked)
        return f"""\
vrrp_instance {self.name} {{
    state BACKUP
    interface eth0
    virtual_router_id {self.router_id}
    priority {self.priority}
    advert_int 1
    unicast_src_ip {self.source}
    unicast_peer {{
{peers}
    }}
    authentication {{
        auth_type PASS
        auth_pass {f"{self.name.lower()}_vip"[:8]}
    }}
    virtual_ipaddress {{
        {self.vip}/32 label vip
    }}
    track_script {{
{tracked}
    }}
}}
"""


def keepalived(cluster: Cluster, own: Seat, seats: Sequence[Seat], folder: Path) -> str:
    """Return keepalived.conf of a node."""
    ids = router_ids(cluster.name)
    api, ingress = scripts(folder, own.role)
    others = tuple(seat for seat in seats if seat != own)
    instances = [
        Instance(
            name="INGRESS",
            router_id=ids.ingress,
            priority=20,
            vip=cluster.ingress_vips[0],
            source=own.address,
            peers=others,
            tracked=ingress,
        )
    ]
    if api:
        instances.append(
            Instance(
                name="API",
                router_id=ids.api,
                priority=40,
                vip=cluster.api_vips[0],
                source=own.address,
                peers=tuple(seat for seat in others if seat.role is Role.CONTROL),
                tracked=api,
            )
        )
    checks = (script.render() for script in (*api, *ingress))
    return "\n".join((GLOBAL, *checks, *(instance.render() for instance in instances)))
