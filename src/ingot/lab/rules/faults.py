"""The faults that a lab has from the start."""

from __future__ import annotations

from ingot.config.problem import Path, error
from ingot.config.reading import quoted
from ingot.config.spelling import nearest
from ingot.errors import IngotError
from ingot.lab.description import FAULT
from ingot.lab.faults.fault import planned_fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.outline import Outline
from ingot.lab.planning import fault_plan
from ingot.lab.rules.registry import Findings, declare, rule

declare(FAULT, "A fault's kind is one that there is.")


@rule("L23", "A fault names a host that there is.")
def faults_have_hosts(lab: Outline) -> Findings:
    names = [host.name for host in lab.hosts]
    for index, fault in enumerate(lab.said.faults):
        path = ("faults", index, "host")
        if not fault.host:
            yield error(path, "a fault names no host", "add `host` with the host's name")
        elif fault.host not in names:
            near = nearest(fault.host, names)
            yield error(
                path,
                f"there is no host {quoted(fault.host)} for this fault",
                f"did you mean {near}?" if near else f"the hosts are {', '.join(names)}",
            )


@rule("L24", "A fault says its kind, and a host has each kind at most once.")
def faults_have_kinds(lab: Outline) -> Findings:
    nobodys: list[tuple[Path, FaultKind | None]] = [
        (("faults", index), fault.kind) for index, fault in enumerate(lab.said.faults)
    ]
    listed = [(path, fault.kind) for host in lab.hosts for path, fault in host.faults]
    for path, kind in dict([*nobodys, *listed]).items():
        if kind is None:
            yield error((*path, "kind"), "a fault has no kind", "see `ingot lab fault kinds`")
    for host in lab.hosts:
        seen: set[FaultKind] = set()
        for path, fault in host.faults:
            if fault.kind in seen:
                yield error(
                    (*path, "kind"), f"{host.label} has {fault.kind} already", "keep one of the two"
                )
            elif fault.kind is not None:
                seen.add(fault.kind)


@rule("L26", "A fault's rate, times, after, seed and amount are in range and mean something.")
def faults_make_sense(lab: Outline) -> Findings:
    for host in lab.hosts:
        for path, fault in host.faults:
            if fault.kind is None:
                continue
            try:
                planned_fault(host.name, fault_plan(fault))
            except IngotError as bad:
                yield error(path, bad.what, bad.remedy)
