"""Every goal, with everything that may be said along with it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.node.goal import (
    Adopt,
    Delete,
    Deprovision,
    Detach,
    Goal,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from tests.unit.metal3.node.nodes import IMAGE, INSTANCE

AGENT = InspectionMode.AGENT
BIOS = {"BootMode": "Uefi"}

GOALS: dict[str, Goal] = {
    "register": Register(),
    "register again": Register(again=True),
    "inspect": Inspect(mode=AGENT),
    "inspect again": Inspect(mode=AGENT, again=True),
    "inspect anew": Inspect(mode=AGENT, forced_reboot=True, refresh=True),
    "prepare": Prepare(bios=BIOS),
    "prepare started": Prepare(bios=BIOS, started=True),
    "prepare again": Prepare(bios=BIOS, started=True, again=True),
    "prepare anew": Prepare(bios=BIOS, started=True, forced_reboot=True),
    "prepare nothing": Prepare(),
    "provision": Provision(instance_uuid=INSTANCE, image=IMAGE),
    "provision forced": Provision(instance_uuid=INSTANCE, image=IMAGE, forced_reboot=True),
    "adopt": Adopt(instance_uuid=INSTANCE, image=IMAGE),
    "adopt again": Adopt(instance_uuid=INSTANCE, image=IMAGE, again=True),
    "deprovision": Deprovision(),
    "deprovision again": Deprovision(again=True),
    "deprovision anew": Deprovision(forced_reboot=True),
    "on": PowerOn(),
    "off": PowerOff(),
    "off hard abort": PowerOff(hard=True, abort=True),
    "service": Service(bios=BIOS),
    "service started": Service(bios=BIOS, started=True),
    "service again": Service(bios=BIOS, started=True, again=True),
    "service anew": Service(bios=BIOS, started=True, forced_reboot=True),
    "service withdrawn": Service(withdrawn=True),
    "delete": Delete(),
    "delete force": Delete(force=True),
    "detach": Detach(),
}


def used_up(goal: Goal) -> Goal:
    """Return what is asked after an answer that begins the work, as `progress` says."""
    once = {"again", "refresh", "forced_reboot"}
    if not isinstance(goal, Delete | Detach):
        once.add("force")
    names = {field.name for field in fields(goal)}
    changed: dict[str, Any] = dict.fromkeys(names & once, False)
    changed |= dict.fromkeys(names & {"started"}, True)
    return replace(goal, **changed)
