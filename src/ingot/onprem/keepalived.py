"""keepalived: one VRRP instance for each VIP that this node may hold.

* VRRPv3 and unicast only. A list of peers is never empty: keepalived would then speak multicast or,
  as told here, be at fault. Who is alone by right has a placeholder instead.
* Ten adverts a second, and a holder is dead when seven are missing: 0.8 s. Three of a third of a
  second would notice as fast, but a network that loses one packet in five would then lose the
  holder every minute, instead of once in hours.
* Health comes as a number in a file (`track_file`), which keepalived is told of by inotify. No
  program is started to ask. A missing file is made, and says fault. `track_process` is not used:
  the kernel tells of processes only in its first network namespace, and the process that writes
  these files is the parent of what would be tracked, so it knows first.
* That it runs in real time is not said here: the monitor sees to it (`monitor.urgency`).
* Where two have held a VIP for a moment, the one who gives way still sends an advert, at which the
  other announces itself again. Else neighbours that heard the loser last would go to it until the
  winner's next announcement, seconds later.
* It is given a `router_id`. Without one it asks DNS for the node's own name before it does anything
  else, and where no server answers, that takes five seconds or more.
* It does not tell its states after a reload (`fifo_write_vrrp_states_on_reload`): 2.2.7 then
  says BACKUP of a VIP that it goes on holding. What does not change need not be told.
* The control plane does not list the bootstrap, which needs to hear nobody; the bootstrap lists the
  control plane. So nothing is sent to the bootstrap's address after it is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingot.onprem.model import Address, Family, Role, Situation, VipKind, family_of
from ingot.onprem.priority import API_BASE, BOOTSTRAP, INGRESS_BASE
from ingot.onprem.vrid import router_ids

__all__ = ["ADVERT_SECONDS", "DOWN_SECONDS", "VIP_LABEL", "Instance", "Keepalived", "keepalived_of"]

ADVERT_SECONDS = 0.1
DOWN_ADVERTS = 7
DOWN_SECONDS = ADVERT_SECONDS * (DOWN_ADVERTS + 1)
"""After this a dead holder is missed, at the latest: the skew is below one interval."""

ARP_AGAIN_SECONDS = 1
"""A new holder announces itself a second time after this; keepalived's own five would be long for
neighbours that heard somebody else after the first."""

ARP_REFRESH_SECONDS = 10
"""A switch or neighbour that missed the move learns of it by then."""

VIP_LABEL = "vip"
"""By this an IPv4 VIP is told from a node's own addresses; IPv6 addresses have no label."""

NOBODY = {Family.IPV4: "0.0.0.0", Family.IPV6: "::"}  # noqa: S104 - nothing is bound to it
"""A peer that nothing is sent to: it makes an instance without peers unicast all the same."""

PARTS = {
    "parent": "--pid",
    "vrrp": "--vrrp_pid",
    "checkers": "--checkers_pid",
    "bfd": "--bfd_pid",
}
"""keepalived's processes, and the options for the file of each."""

PEER_ROLES = {
    VipKind.API: (Role.CONTROL_PLANE,),
    VipKind.INGRESS: (Role.CONTROL_PLANE, Role.WORKER),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One VIP, as this node takes part in holding it.

    Attributes:
        name: how keepalived, its log and its notifications call it.
        kind: which of the duty files counts.
        router_id: the virtual router's number.
        interface: where the VIP goes.
        priority: without what the duty file adds.
        source: this node's own address.
        peers: everybody else who may hold it.
        vip: the address.
    """

    name: str
    kind: VipKind
    router_id: int
    interface: str
    priority: int
    source: Address
    peers: tuple[Address, ...]
    vip: Address

    def render(self) -> str:
        """Return its block."""
        family = family_of(self.vip)
        peers = "\n".join(f"        {peer}" for peer in self.peers or (NOBODY[family],))
        label = f" label {VIP_LABEL}" if family is Family.IPV4 else ""
        return f"""\
vrrp_instance {self.name} {{
    state BACKUP
    version 3
    interface {self.interface}
    virtual_router_id {self.router_id}
    priority {self.priority}
    advert_int {ADVERT_SECONDS}
    down_timer_adverts {DOWN_ADVERTS}
    unicast_src_ip {self.source}
    track_src_ip
    unicast_fault_no_peer
    unicast_peer {{
{peers}
    }}
    track_file {{
        {self.kind.value}
    }}
    virtual_ipaddress {{
        {self.vip}/{self.vip.max_prefixlen} dev {self.interface}{label}
    }}
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keepalived:
    """Everything that keepalived is told.

    Attributes:
        instances: the VIPs that this node may hold.
        run: the folder of the duty files and of the pipe that tells of changes.
    """

    instances: tuple[Instance, ...]
    run: Path

    @property
    def notifications(self) -> Path:
        """The pipe in which keepalived tells who it is now: `INSTANCE "name" MASTER 60`."""
        return self.run / "keepalived.fifo"

    def duty_file(self, kind: VipKind) -> Path:
        """Return the file whose number says whether, and how much, this node may hold a VIP."""
        return self.run / f"{kind.value}.duty"

    @property
    def pid_files(self) -> tuple[Path, ...]:
        """The files in which it notes its processes; one that names a zombie stops its start."""
        return tuple(self.run / f"keepalived.{part}.pid" for part in PARTS)

    def command(self, config: Path) -> tuple[str, ...]:
        """Return how keepalived is started, to stay a child and log to where it was started.

        Every process has a file here, also those that are not used: two keepalived of one machine
        would else stop each other by those in /run.
        """
        pids = zip(PARTS.values(), map(str, self.pid_files), strict=True)
        options = ("--dont-fork", "--vrrp", "--log-console", "--log-detail")
        files = (word for pair in pids for word in pair)
        return ("keepalived", *options, "--use-file", str(config), *files)

    def render(self) -> str:
        """Return keepalived.conf."""
        kinds = dict.fromkeys(instance.kind for instance in self.instances)
        files = "\n".join(self._duty(kind) for kind in kinds)
        instances = "\n".join(instance.render() for instance in self.instances)
        return f"""\
# Rendered by ingot-node; changes are lost.
global_defs {{
    router_id ingot
    vrrp_version 3
    vrrp_priority -20
    vrrp_no_swap
    max_auto_priority -1
    vrrp_garp_master_delay {ARP_AGAIN_SECONDS}
    vrrp_garp_master_refresh {ARP_REFRESH_SECONDS}
    vrrp_higher_prio_send_advert true
    vrrp_notify_fifo {self.notifications}
    vrrp_notify_priority_changes true
}}

{files}
{instances}"""

    def _duty(self, kind: VipKind) -> str:
        return f"""\
track_file {kind.value} {{
    file "{self.duty_file(kind)}"
    weight 1
    init_file -254
}}
"""


def keepalived_of(situation: Situation, *, run: Path) -> Keepalived | None:
    """Return what keepalived is told on a node, or None where it has no part in holding VIPs.

    It has none where the balancer is the user's, and until the cluster knows the node: whoever
    speaks without being listed by the others hears nobody, and would hold what they hold.
    """
    is_bootstrap = situation.role is Role.BOOTSTRAP
    if situation.cluster.user_managed_balancer or not (is_bootstrap or situation.is_member):
        return None
    kinds = {
        Role.BOOTSTRAP: (VipKind.API,),
        Role.CONTROL_PLANE: (VipKind.API, VipKind.INGRESS),
        Role.WORKER: (VipKind.INGRESS,),
    }[situation.role]
    instances = tuple(
        instance
        for kind in kinds
        for index, vip in enumerate(situation.cluster.vips(kind))
        if (instance := _instance(situation, kind, index, vip)) is not None
    )
    return Keepalived(instances=instances, run=run)


def _instance(situation: Situation, kind: VipKind, index: int, vip: Address) -> Instance | None:
    family = family_of(vip)
    own = situation.own_of(family)
    if own is None:
        return None
    ids = router_ids(situation.cluster.name)
    peers = (peer.address(family) for peer in situation.others(*PEER_ROLES[kind]))
    return Instance(
        name=f"{situation.cluster.name}_{kind.value.upper()}_{index}",
        kind=kind,
        router_id=ids.api if kind is VipKind.API else ids.ingress,
        interface=own.interface,
        priority=_base(situation.role, kind),
        source=own.address,
        peers=tuple(peer for peer in peers if peer is not None),
        vip=vip,
    )


def _base(role: Role, kind: VipKind) -> int:
    if role is Role.BOOTSTRAP:
        return BOOTSTRAP
    return API_BASE if kind is VipKind.API else INGRESS_BASE
