"""Ironic's node, in memory: what it lets be asked in which state, and what comes of it by itself.

The transitions are Ironic's own; `tests/integration/metal3/test_node_life.py` compares them with
those of the real one. A call that the real one would refuse in this state raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingot.ironic.node import Node
from ingot.ironic.states import PowerTarget, ProvisionState, Verb
from ingot.ironic.version import ABORT_DEPLOY, Microversion
from ingot.metal3.node import calls
from tests.unit.metal3.node.nodes import masked

S = ProvisionState

ASKED: dict[str, dict[ProvisionState, ProvisionState]] = {
    "manage": {
        S.ENROLL: S.VERIFYING,
        S.AVAILABLE: S.MANAGEABLE,
        S.INSPECT_FAILED: S.MANAGEABLE,
        S.CLEAN_FAILED: S.MANAGEABLE,
        S.ADOPT_FAILED: S.MANAGEABLE,
    },
    "inspect": {S.MANAGEABLE: S.INSPECTING, S.INSPECT_FAILED: S.INSPECTING},
    "provide": {S.MANAGEABLE: S.CLEANING},
    "clean": {S.MANAGEABLE: S.CLEANING},
    "deploy": {S.AVAILABLE: S.DEPLOYING, S.DEPLOY_FAILED: S.DEPLOYING},
    "delete": dict.fromkeys(
        (
            S.ACTIVE,
            S.DEPLOY_WAIT,
            S.DEPLOY_FAILED,
            S.ERROR,
            S.RESCUE,
            S.RESCUE_WAIT,
            S.RESCUE_FAILED,
            S.UNRESCUE_FAILED,
            S.SERVICE_WAIT,
            S.SERVICE_FAILED,
        ),
        S.DELETING,
    ),
    "adopt": {S.MANAGEABLE: S.ADOPTING, S.ADOPT_FAILED: S.ADOPTING},
    "service": dict.fromkeys((S.ACTIVE, S.SERVICE_HOLD, S.SERVICE_FAILED), S.SERVICING),
    "abort": {
        S.INSPECT_WAIT: S.INSPECT_FAILED,
        S.CLEAN_WAIT: S.CLEAN_FAILED,
        S.CLEAN_HOLD: S.CLEAN_FAILED,
        S.DEPLOY_WAIT: S.DEPLOY_FAILED,
        S.DEPLOY_HOLD: S.DEPLOY_FAILED,
        S.RESCUE_WAIT: S.RESCUE_FAILED,
        S.SERVICE_WAIT: S.SERVICE_FAILED,
        S.SERVICE_HOLD: S.SERVICE_FAILED,
        S.SERVICE_FAILED: S.ACTIVE,
    },
    "unhold": {
        S.CLEAN_HOLD: S.CLEAN_WAIT,
        S.DEPLOY_HOLD: S.DEPLOY_WAIT,
        S.SERVICE_HOLD: S.SERVICE_WAIT,
    },
}
"""What can be asked for, and where it leads."""

BY_ITSELF: dict[ProvisionState, tuple[ProvisionState, ...]] = {
    S.VERIFYING: (S.MANAGEABLE, S.ENROLL),
    S.INSPECTING: (S.MANAGEABLE, S.INSPECT_FAILED, S.INSPECT_WAIT),
    S.INSPECT_WAIT: (S.MANAGEABLE, S.INSPECT_FAILED),
    S.CLEANING: (S.AVAILABLE, S.CLEAN_FAILED, S.CLEAN_WAIT),
    S.CLEAN_WAIT: (S.CLEANING, S.CLEAN_FAILED),
    S.DEPLOYING: (S.ACTIVE, S.DEPLOY_FAILED, S.DEPLOY_WAIT),
    S.DEPLOY_WAIT: (S.DEPLOYING, S.DEPLOY_FAILED),
    S.DELETING: (S.CLEANING, S.ERROR),
    S.ADOPTING: (S.ACTIVE, S.ADOPT_FAILED),
    S.SERVICING: (S.ACTIVE, S.SERVICE_FAILED, S.SERVICE_WAIT),
    S.SERVICE_WAIT: (S.SERVICING, S.SERVICE_FAILED),
    S.RESCUING: (S.RESCUE, S.RESCUE_FAILED, S.RESCUE_WAIT),
    S.RESCUE_WAIT: (S.RESCUING, S.RESCUE_FAILED),
    S.UNRESCUING: (S.ACTIVE, S.UNRESCUE_FAILED),
}
"""What becomes of a state without being asked. In `cleaning`, manageable is the other good end."""

CHANGEABLE = {
    S.DEPLOY_FAILED,
    S.INSPECT_FAILED,
    S.INSPECT_WAIT,
    S.CLEAN_FAILED,
    S.ERROR,
    S.VERIFYING,
    S.ADOPT_FAILED,
    S.RESCUE_FAILED,
    S.UNRESCUE_FAILED,
    S.SERVICE_HOLD,
    S.SERVICE_FAILED,
}
STABLE = {S.ENROLL, S.MANAGEABLE, S.AVAILABLE, S.ACTIVE, S.ERROR, S.RESCUE}
DELETABLE = {S.MANAGEABLE, S.ENROLL, S.ADOPT_FAILED, S.AVAILABLE}
INTERFACES = {S.ENROLL, S.INSPECT_WAIT, S.MANAGEABLE, S.AVAILABLE}
STEPS = {
    S.CLEAN_WAIT: "clean_step",
    S.DEPLOY_WAIT: "deploy_step",
    S.SERVICE_WAIT: "service_step",
}

Choose = Callable[[Sequence[Any]], Any]


class IllegalError(AssertionError):
    """Ironic would have refused this."""


@dataclass
class Model:
    """Ironic with one node, or none."""

    document: dict[str, Any] | None
    version: Microversion = ABORT_DEPLOY
    ports: set[str] = field(default_factory=set)
    made: list[calls.Call] = field(default_factory=list)
    waited: bool = False
    """Whether the operation under way has waited for its agent already; it does so once."""

    def node(self) -> Node | None:
        if self.document is None:
            return None
        seen = {
            name: dict(value) if isinstance(value, dict) else value
            for name, value in self.document.items()
        }
        return Node.read(seen)

    @property
    def state(self) -> ProvisionState:
        return ProvisionState.read(self._node["provision_state"])

    @property
    def _node(self) -> dict[str, Any]:
        if self.document is None:
            raise IllegalError("there is no node")
        return self.document

    # What we do to it.

    def perform(self, call: calls.Call) -> None:
        """Do what a call asks for."""
        self.made.append(call)
        if isinstance(call, calls.CreateNode):
            self._allow(self.document is None, call)
            self.document = masked(call.fields)
            self.document |= {"provision_state": S.ENROLL.value, "power_state": None}
            return
        self._allow(self.document is not None, call)
        if isinstance(call, calls.CreatePort):
            self._allow(call.address not in self.ports, call)
            self.ports.add(call.address)
            return
        self._allow(not self._node.get("reservation"), call)  # 409: locked
        getattr(self, f"_{type(call).__name__.lower()}")(call)

    def _patchnode(self, call: calls.PatchNode) -> None:
        self._allow(self.state in STABLE | CHANGEABLE, call)
        self._allow(bool(call.operations), call)
        for operation in call.operations:
            self._apply(operation, call)

    def _apply(self, operation: dict[str, Any], call: calls.PatchNode) -> None:
        name, *rest = str(operation["path"]).removeprefix("/").split("/")
        if name.endswith("_interface"):
            self._allow(self.state in INTERFACES or self._node["maintenance"], call)
        if name == "instance_uuid" and operation["op"] != "remove":
            self._allow(self._node["instance_uuid"] is None, call)
        within = self._node
        if rest:
            within = self._node[name] or {}
            self._node[name] = within
            name = rest[0].replace("~1", "/").replace("~0", "~")
            self._allow(operation["op"] == "add" or name in within, call)
        if operation["op"] == "remove":
            self._allow(name in within, call)
            if rest:
                del within[name]
            else:
                within[name] = None
        else:
            within[name] = operation["value"]
        self.document = masked(self._node)

    def _ask(self, call: calls.Ask) -> None:
        verb = "delete" if call.verb is Verb.DELETED else call.verb.value
        if verb == "abort":
            if self.state is S.DEPLOY_WAIT:
                self._allow(self.version >= ABORT_DEPLOY, call)
            if self.state is S.SERVICE_FAILED:
                self._allow(not self._node["maintenance"], call)
            step = self._node.get(STEPS.get(self.state, ""), {})
            if step and not step.get("abortable"):
                step["abort_after"] = True
                return
        self._go(verb, call)
        if verb == "abort":
            self._node["last_error"] = "it was aborted by request"
            if self.state is S.SERVICE_FAILED:  # Ironic goes all the way
                self._enter(S.ACTIVE)
        if verb == "provide":
            self._node["target_provision_state"] = S.AVAILABLE.value
        if verb == "delete":
            self._node["instance_uuid"] = None
            self._node["instance_info"] = {}
            self._node["target_provision_state"] = S.AVAILABLE.value

    def _validate(self, call: calls.Validate) -> None:
        info = self._node["instance_info"]
        self._allow(bool(info.get("image_source") or info.get("boot_iso")), call)

    def _deploy(self, call: calls.Deploy) -> None:
        self._allow(not self._node["maintenance"], call)
        self._allow(self._node["instance_uuid"] is not None, call)
        self._go("deploy", call)

    def _clean(self, call: calls.Clean) -> None:
        self._allow(not self._node["maintenance"] and bool(call.steps), call)
        self._go("clean", call)
        self._node["target_provision_state"] = S.MANAGEABLE.value

    def _service(self, call: calls.Service) -> None:
        self._allow(not self._node["maintenance"] and bool(call.steps), call)
        self._go("service", call)

    def _setpower(self, call: calls.SetPower) -> None:
        self._allow(self.state not in (S.CLEANING, S.CLEAN_WAIT), call)
        off = call.target in (PowerTarget.OFF, PowerTarget.SOFT_OFF)
        self._allow(not (off and self._node["disable_power_off"]), call)
        self._node["target_power_state"] = "power off" if off else "power on"
        self._node["last_error"] = None

    def _wantraid(self, call: calls.WantRaid) -> None:
        self._node["target_raid_config"] = dict(call.target)

    def _setmaintenance(self, call: calls.SetMaintenance) -> None:
        self._node.update({"maintenance": True, "maintenance_reason": call.reason})

    def _clearmaintenance(self, call: calls.ClearMaintenance) -> None:
        del call
        self._node.update({"maintenance": False, "maintenance_reason": None, "fault": None})

    def _deletenode(self, call: calls.DeleteNode) -> None:
        if not self._node["maintenance"]:
            self._allow(self.state in DELETABLE, call)
            self._allow(self._node["instance_uuid"] is None, call)
        self.forget()

    def _go(self, event: str, call: calls.Call) -> None:
        self._allow(self.state in ASKED[event], call)
        self._enter(ASKED[event][self.state])
        self.waited = False

    def _enter(self, state: ProvisionState) -> None:
        working = state in BY_ITSELF and not state.is_wait
        self._node.update(
            provision_state=state.value,
            reservation="conductor" if working else None,
            last_error=None,
        )
        if state is S.INSPECTING:
            self._node["inspection_finished_at"] = None

    def _allow(self, allowed: object, call: calls.Call) -> None:
        if not allowed:
            raise IllegalError(f"{call} in {self.document and self.document['provision_state']}")

    # What it does by itself.

    def forget(self) -> None:
        """Lose the node, as with the database."""
        self.document = None
        self.ports = set()

    def pass_time(self, choose: Choose) -> None:
        """Let something happen that was under way, and end as it will."""
        if self.document is None:
            return
        node = self._node
        if node.get("target_power_state"):
            if choose([True, False]):
                node["power_state"] = node["target_power_state"]
            else:
                node["last_error"] = "Failed to change power state"
            node["target_power_state"] = None
        elif node["maintenance"] and node["fault"] == "power failure":
            node |= {"maintenance": False, "fault": None}
        elif self.state is S.UNKNOWN:
            self._enter(choose([state for state in S if state is not S.UNKNOWN]))
        elif self.state.is_hold:
            self._enter(ASKED["unhold"][self.state])
        elif self.state in BY_ITSELF:
            self._move_on(choose)

    def _move_on(self, choose: Choose) -> None:
        before = self.state
        ends = [end for end in BY_ITSELF[before] if not (end.is_wait and self.waited)]
        after: ProvisionState = choose(ends)
        step = self._node.get(STEPS.get(before, ""))
        if step and step.get("abort_after"):
            after = ASKED["abort"][before]
        target = self._node.get("target_provision_state")
        if (before, after, target) == (S.CLEANING, S.AVAILABLE, S.MANAGEABLE.value):
            after = S.MANAGEABLE
        self._enter(after)
        if after.is_wait:
            self.waited = True
            self._step_begins(after, choose)
        if after.is_failed or after in (S.ERROR, S.ENROLL):
            self._node["last_error"] = "it broke"
            if after in (S.CLEAN_FAILED, S.SERVICE_FAILED) and choose([True, False]):
                self._node.update({"maintenance": True, "fault": "clean failure"})
        if before in (S.INSPECTING, S.INSPECT_WAIT) and after is S.MANAGEABLE:
            self._node["inspection_finished_at"] = "2026-01-01T00:00:00"

    def _step_begins(self, state: ProvisionState, choose: Choose) -> None:
        if name := STEPS.get(state):
            # Without a step it is the ramdisk that is waited for.
            steps = [{}, *({"step": "some", "abortable": abortable} for abortable in (True, False))]
            self._node[name] = choose(steps)
