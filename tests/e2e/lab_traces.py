"""What a lab could leave behind on this PC."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ingot.lab.plan import LabPlan
from ingot.machine.home import Home, uml_dir
from tests.e2e.site import call


def snapshot(state: Path, plan: LabPlan) -> dict[str, frozenset[str]]:
    """Return everything of this PC that a lab makes, and nothing that others make meanwhile.

    Args:
        state: where labs are kept.
        plan: the lab, for the names it gives to things.
    """
    machines = state / "labs" / plan.name / "machines"
    marks = (
        plan.name,
        plan.networks.uplink,
        *(uml_dir(Home(machines / host.name)).name for host in plan.hosts),
    )
    found = {
        "namespaces": _names(Path("/run/netns")),
        "resolvers": _names(Path("/etc/netns")),
        "links": [link["ifname"] for link in json.loads(call("ip", "-j", "link"))],
        "routes": call("ip", "-4", "route", "show", "table", "all").splitlines(),
        "mounts": Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines(),
        "sockets": _names(Path("/run")),
    }
    ours = {
        kind: frozenset(name for name in names if any(mark in name for mark in marks))
        for kind, names in found.items()
    }
    return {
        **ours,
        "processes": frozenset(_processes(state)),
        "files": frozenset(str(path) for path in state.rglob("*")),
    }


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def _processes(mark: Path) -> list[str]:
    """Return what runs with a lab's folder in its arguments, or writes into it."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            command = (process / "cmdline").read_bytes()
            output = (process / "fd/1").readlink()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # It has ended, or is none that we could have started.
        if os.fsencode(mark) in command or mark in output.parents:
            found.append(f"{process.name} {command.decode(errors='replace')}")
    return found
