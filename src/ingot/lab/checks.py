"""Whether this PC can bear a lab: said before anything is made, and everything at once.

A uml host takes memory as it touches it. Measured on nodes of 2.5 GiB: 1.24 GiB for a control
plane with its cluster up, 0.24 GiB for a node that only waits, and about half of it while the agent
runs from memory. So half is asked of this PC for each host of the cluster. Spares are off, and cost
nothing until they are powered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ingot.errors import ExitCode, IngotError
from ingot.lab.faults.availability import FaultNotAvailable, check_available
from ingot.lab.faults.kind import FaultKind
from ingot.lab.plan import LabPlan
from ingot.lab.services import PROGRAMS as SERVICE_PROGRAMS
from ingot.lab.surroundings import Pc
from ingot.lab.words import DriverKind, Role
from ingot.process import MissingProgram, require

__all__ = ["NotFit", "Unfit", "check_fit", "memory_needed", "unfit"]

MIB, GB = 1 << 20, 1_000_000_000
UML_SHARE = 0.5
WRITTEN_BYTES = int(3.6 * GB)
"""What an installed host has on its disk: the image, and a little more."""

PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", **SERVICE_PROGRAMS}
LIBVIRT_PROGRAMS = {"virsh": "libvirt-clients"}


class NotFit(IngotError):  # noqa: N818 - it says what was seen
    """This PC cannot bear the lab."""

    exit_code = ExitCode.INFRASTRUCTURE


class Unfit(NamedTuple):
    """One reason, and what to do."""

    what: str
    remedy: str


def check_fit(plan: LabPlan, pc: Pc) -> None:
    """Check that a PC can bear a lab.

    Raises:
        NotFit: with every reason.
    """
    reasons = [*unfit(plan, pc), *_missing_programs(plan)]
    if not reasons:
        return
    *others, last = reasons
    # The boundary indents the last remedy alone; those before it read as it does.
    before = "".join(f"{one.what}\n       {one.remedy}\nerror: " for one in others)
    raise NotFit(f"{before}{last.what}", remedy=last.remedy)


def unfit(plan: LabPlan, pc: Pc) -> Iterator[Unfit]:
    """Return why a PC cannot bear a lab, as far as facts about it tell."""
    if not pc.is_root:
        yield Unfit(
            "a lab has networks of its own, which only root may make",
            "run the same command with sudo",
        )
    if not pc.has_tun:
        yield Unfit(
            "there is no /dev/net/tun, by which hosts have their network cards",
            "run `modprobe tun`; in a container, start it with --device /dev/net/tun",
        )
    if pc.libraries:
        yield Unfit(
            f"not installed: {', '.join(pc.libraries)}",
            "run `make setup`, or `pip install 'ingot[lab]'`",
        )
    needed = memory_needed(plan)
    if needed > pc.memory_bytes:
        yield Unfit(
            f"the lab's hosts need about {needed / GB:.1f} GB of memory when all are up, and "
            f"{pc.memory_bytes / GB:.1f} GB are available",
            "ask for fewer hosts, less memoryMiB for each, or end other programs",
        )
    written = WRITTEN_BYTES * sum(host.role is not Role.SPARE for host in plan.hosts)
    if written > pc.disk_bytes:
        yield Unfit(
            f"the lab's hosts write about {written / GB:.1f} GB when they are installed, and "
            f"{pc.disk_bytes / GB:.1f} GB are free in {pc.disk}",
            "ask for fewer hosts, free some space, or set INGOT_STATE to another disk",
        )
    yield from _used_networks(plan, pc)
    yield from _faults_out_of_reach(plan)


def memory_needed(plan: LabPlan) -> int:
    """Return what the hosts of a cluster are expected to take of this PC, in bytes."""
    return sum(
        int(host.memory_mib * MIB * (UML_SHARE if host.driver is DriverKind.UML else 1))
        for host in plan.hosts
        if host.role is not Role.SPARE and not _is_elsewhere(host.libvirt_uri)
    )


def _is_elsewhere(uri: str | None) -> bool:
    """Tell whether a libvirt is on another machine: its URI has a host then."""
    return uri is not None and not uri.partition("://")[2].startswith("/")


def _used_networks(plan: LabPlan, pc: Pc) -> Iterator[Unfit]:
    for name, network in (
        ("external", plan.networks.external),
        ("out-of-band", plan.networks.out_of_band),
    ):
        for lab, used in pc.used:
            if lab != plan.name and network.overlaps(used):
                yield Unfit(
                    f"the {name} network {network} overlaps {used} of the lab {lab!r}",
                    "choose another in lab.yaml, or leave it out to have a free one taken",
                )


def _faults_out_of_reach(plan: LabPlan) -> Iterator[Unfit]:
    for host in plan.hosts:
        for fault in host.faults:
            try:
                check_available(host, FaultKind(fault.kind))
            except FaultNotAvailable as refused:
                yield Unfit(refused.what, refused.remedy)


def _missing_programs(plan: LabPlan) -> Iterator[Unfit]:
    programs = dict(PROGRAMS)
    if any(host.libvirt_uri is not None for host in plan.hosts):
        programs |= LIBVIRT_PROGRAMS
    try:
        require(programs)
    except MissingProgram as missing:
        yield Unfit(missing.what, missing.remedy)
