"""How many machines of which kind, and whether the hosts suffice."""

from __future__ import annotations

from ingot.config.model import Architecture, InstallConfig, MachinePool, Role
from ingot.config.model.words import MachineManagement
from ingot.config.problem import Path, at, error, warning
from ingot.config.registry import Findings, check, declare

declare("M2", "hyperthreading and architecture are known words.")

CONTROL_PLANE: Path = ("controlPlane",)
HOSTS = at("hosts")


def _pools(config: InstallConfig) -> list[tuple[Path, MachinePool]]:
    compute = [(("compute", index), pool) for index, pool in enumerate(config.compute)]
    return [(CONTROL_PLANE, config.control_plane), *compute]


@check(
    "M1",
    "The control plane is called master, and no pool has a negative number of replicas.",
    note="Another name is overwritten by upstream without a word; here it is a warning.",
)
def control_plane_is_master(config: InstallConfig) -> Findings:
    pool = config.control_plane
    if pool.name != "master":
        yield warning(
            (*CONTROL_PLANE, "name"),
            f"the control plane's name {pool.name!r} is read as master",
            "write master, or leave the name out",
        )
    if pool.replicas == 0:
        yield error(
            (*CONTROL_PLANE, "replicas"), "the control plane has 0 replicas", "write 3, or 1"
        )
    for path, each in _pools(config):
        if each.replicas is not None and each.replicas < 0:
            yield error(
                (*path, "replicas"), f"{each.replicas} replicas are asked for", "write 0 or more"
            )


@check(
    "U3",
    "The control plane has an odd number of replicas; two-node clusters are not built yet.",
    note="One replica is accepted with a warning: it is not highly available.",
)
def control_plane_is_odd(config: InstallConfig) -> Findings:
    replicas, path = config.control_plane.replicas or 0, (*CONTROL_PLANE, "replicas")
    if replicas == 1:
        yield warning(
            path,
            "a control plane of 1 is not highly available",
            "use 3 replicas where the cluster must survive the loss of a server",
        )
    elif replicas > 0 and replicas % 2 == 0:
        yield error(
            path,
            f"a control plane of {replicas} survives no more failures than one of {replicas - 1}",
            f"write {replicas + 1} or {replicas - 1}",
        )


@check("M3", "Compute pools are called worker, and no name is used twice.")
def compute_is_worker(config: InstallConfig) -> Findings:
    seen: set[str] = set()
    for index, pool in enumerate(config.compute):
        path = ("compute", index, "name")
        if pool.name != "worker":
            shown = f"compute pool {pool.name!r}" if pool.name else "a compute pool without a name"
            yield error(path, f"{shown} is not supported", "call it worker")
        elif pool.name in seen:
            yield error(path, f"a second pool is called {pool.name}", "merge the two pools")
        seen.add(pool.name)


@check(
    "M4",
    "Architectures are mixed only as an amd64 control plane with amd64 or arm64 compute.",
    note="A pool of 0 replicas is not compared.",
)
def architectures_fit(config: InstallConfig) -> Findings:
    control = config.control_plane.architecture
    for index, pool in enumerate(config.compute):
        if pool.architecture is control or pool.replicas == 0:
            continue
        mixable = control is Architecture.AMD64 and pool.architecture is Architecture.ARM64
        if not mixable:
            yield error(
                ("compute", index, "architecture"),
                f"compute of {pool.architecture} does not go with a control plane of {control}",
                "use one architecture, or arm64 workers with an amd64 control plane",
            )


@check("M8", "Machines are managed by the Machine API.")
def machines_are_managed_by_machine_api(config: InstallConfig) -> Findings:
    for path, pool in _pools(config):
        if pool.management is MachineManagement.CLUSTER_API:
            yield error(
                (*path, "management"),
                "management by ClusterAPI does not exist on bare metal",
                "write MachineAPI, or leave it out",
            )


@check("M15", "A pool has no options of another platform.")
def pools_are_bare_metal(config: InstallConfig) -> Findings:
    for path, pool in _pools(config):
        for name in pool.platform.foreign:
            yield error(
                (*path, "platform", name),
                f"the pool has options of the platform {name}",
                "remove them: bare metal has none",
            )


@check("G10", "The platform is baremetal, and no other.")
def platform_is_bare_metal(config: InstallConfig) -> Findings:
    platform = config.platform
    for name in platform.foreign:
        yield error(
            ("platform", name), f"Ingot does not install on {name}", "use platform.baremetal"
        )
    if platform.baremetal is None:
        yield error(at(), "platform.baremetal is not given", "add it with its hosts and VIPs")


@check("B3", "platform.baremetal lists its hosts.")
def hosts_are_listed(config: InstallConfig) -> Findings:
    if config.platform.baremetal is not None and not config.baremetal.hosts:
        yield error(HOSTS, "no hosts are listed", "add each server with its BMC and boot MAC")


@check(
    "B4",
    "There are enough hosts: masters for the control plane, workers for compute; hosts without a "
    "role fill the gaps (warning).",
    needs=(at("hosts", "*", "role"), (*CONTROL_PLANE, "replicas"), ("compute", "*", "replicas")),
    note="Hosts are taken by role first, so one without a role never displaces one with it.",
)
def hosts_suffice(config: InstallConfig) -> Findings:
    hosts = config.baremetal.hosts
    if not hosts:
        return  # B3
    wanted = {
        Role.MASTER: max(config.control_plane.replicas or 0, 0),
        Role.WORKER: config.worker_replicas,
    }
    counted = {role: sum(host.role is role for host in hosts) for role in (*wanted, Role.NONE)}
    spare, used = counted[Role.NONE], 0
    for role, number in wanted.items():
        filled = min(max(number - counted[role], 0), spare - used)
        used += filled
        have = counted[role] + filled
        if have < number:
            kind = "control plane" if role is Role.MASTER else "compute"
            yield error(
                HOSTS,
                f"{kind} asks for {number}, and {have} of the hosts can be {role}",
                f"add {number - have} more with role {role}, or lower replicas",
            )
    if used:
        yield warning(
            HOSTS,
            f"hosts without a role ({used}) fill gaps in the order of the list",
            "give each host a role to decide it yourself",
        )
