"""Keepalived as somebody wrote it by hand: something for the bed to show."""

from __future__ import annotations

from collections.abc import Sequence

from tests.onprem_site.node import Node
from tests.onprem_site.plan import Address, Seat
from tests.onprem_site.process import Process

ADVERT_SECONDS = 0.5
"""Long enough that a machine with little time loses none."""


def keepalived(node: Node, vip: Address, peers: Sequence[Seat], *, priority: int) -> Process:
    """Start keepalived on a node for one VIP, speaking to some peers.

    It does not start where a pid file names a process that is there, be it as a zombie.
    """
    for left in (node.folder / "run").rglob("*.pid"):
        left.unlink()
    version = vip.version
    own, *others = (
        next(str(a) for a in seat.addresses if a.version == version)
        for seat in (node.seat, *(peer for peer in peers if peer != node.seat))
    )
    listed = "\n".join(others)
    path = node.folder / f"keepalived-{version}.conf"
    path.write_text(
        f"""
vrrp_instance api_{version} {{
    state BACKUP
    interface eth0
    version 3
    {"native_ipv6" if version == 6 else ""}
    virtual_router_id 14
    priority {priority}
    advert_int {ADVERT_SECONDS}
    unicast_src_ip {own}
    unicast_peer {{
        {listed}
    }}
    virtual_ipaddress {{
        {vip}/{vip.max_prefixlen} dev eth0
    }}
}}
"""
    )
    flags = ("--dont-fork", "--vrrp", "--log-console", "--log-detail")
    return node.start("keepalived", *flags, "--use-file", path)
