"""A world that a host lives in: Ironic's node as a model, a clock, Secrets, somebody who edits.

Decisions are carried out as `ingot.metal3.host.decision` says, and checked on the way: every
transition against the table, every call against what a host in use may suffer.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ingot.bmc.address import parse
from ingot.ironic.states import PowerTarget, ProvisionState, Verb
from ingot.metal3.api import annotation, finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost, HostSpec
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.states import OperationalStatus, ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.deciding import decide
from ingot.metal3.host.decision import Decision, FinalizerStep
from ingot.metal3.host.memory import Memory, recall
from ingot.metal3.host.observation import (
    BootSeen,
    Credentials,
    FirmwareSeen,
    NodeSeen,
    Observation,
    Site,
)
from ingot.metal3.host.settings import Settings
from ingot.metal3.node import calls
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.calls import Call
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Progress
from ingot.metal3.node.situation import boots_ramdisk
from tests.unit.metal3.host.hosts import GOOD, HARDWARE, NOW, bmc
from tests.unit.metal3.node.model import Choose, Model
from tests.unit.metal3.node.nodes import host as subject

S = ProvisioningState

IN_USE = frozenset({S.PROVISIONED, S.EXTERNALLY_PROVISIONED})
LEAVING = frozenset({S.DEPROVISIONING, S.POWERING_OFF_BEFORE_DELETE, S.DELETING})

LEGAL = {
    S.NONE: {S.REGISTERING, S.UNMANAGED},
    S.UNMANAGED: {S.REGISTERING},
    S.REGISTERING: {S.EXTERNALLY_PROVISIONED, S.PREPARING, S.INSPECTING},
    S.INSPECTING: {S.PREPARING},
    S.PREPARING: {S.AVAILABLE},
    S.AVAILABLE: {S.EXTERNALLY_PROVISIONED, S.INSPECTING, S.PREPARING, S.PROVISIONING},
    S.PROVISIONING: {S.PROVISIONED, S.DEPROVISIONING},
    S.PROVISIONED: {S.DEPROVISIONING},
    S.EXTERNALLY_PROVISIONED: {S.PROVISIONED},
    S.DEPROVISIONING: {S.AVAILABLE},
}
LEGAL_DELETION = {
    S.NONE: {S.DELETING},
    S.UNMANAGED: {S.DELETING},
    S.REGISTERING: {S.DELETING},
    S.INSPECTING: {S.POWERING_OFF_BEFORE_DELETE},
    S.PREPARING: {S.POWERING_OFF_BEFORE_DELETE},
    S.AVAILABLE: {S.POWERING_OFF_BEFORE_DELETE},
    S.EXTERNALLY_PROVISIONED: {S.POWERING_OFF_BEFORE_DELETE},
    S.PROVISIONING: {S.DEPROVISIONING, S.POWERING_OFF_BEFORE_DELETE},
    S.PROVISIONED: {S.DEPROVISIONING, S.POWERING_OFF_BEFORE_DELETE},
    S.DEPROVISIONING: {S.POWERING_OFF_BEFORE_DELETE},
    S.POWERING_OFF_BEFORE_DELETE: {S.DELETING},
    S.DELETING: set(),
}
"""Besides, any state may go to deleting: detached, without Ironic, or given up."""

DECLARED = {one.name: one for one in counting.DECLARED}

HARMLESS = (
    calls.CreateNode,
    calls.CreatePort,
    calls.DeletePort,
    calls.PatchNode,
    calls.SetMaintenance,
    calls.ClearMaintenance,
    calls.DeleteNode,
)
HARMLESS_VERBS = frozenset({Verb.MANAGE, Verb.ADOPT})


@dataclass
class World:
    """One host and all around it."""

    host: BareMetalHost
    now: datetime = NOW
    ironic: Model = field(default_factory=lambda: Model(None))
    ironic_up: bool = True
    credentials: Credentials = GOOD
    inventory: HardwareDetails | None = None
    firmware: FirmwareSeen = field(default_factory=FirmwareSeen)
    boot: BootSeen | None = None
    site: Site = field(default_factory=Site)
    settings: Settings = field(default_factory=Settings)
    powered: bool = False
    last: Decision[Call] | None = None
    power_actions: int = 0

    @staticmethod
    def new(**spec: Any) -> World:  # noqa: ANN401 - any field of the spec
        meta = Metadata(name="worker-0", namespace="metal3", uid="uid-1", generation=1)
        values = {"online": True, "bmc": bmc(), "architecture": "x86_64", **spec}
        return World(host=BareMetalHost(metadata=meta, spec=HostSpec(**values)))

    @property
    def state(self) -> ProvisioningState:
        return self.host.status.provisioning.state

    @property
    def gone(self) -> bool:
        meta = self.host.metadata
        return meta.is_going and finalizer.HOST not in meta.finalizers

    # What people do.

    def edit(self, **spec: Any) -> None:  # noqa: ANN401 - any field of the spec
        meta = self.host.metadata
        self.host = replace(
            self.host,
            spec=replace(self.host.spec, **spec),
            metadata=replace(meta, generation=meta.generation + 1),
        )

    def annotate(self, name: str, value: str | None = "") -> None:
        meta = self.host.metadata
        others = {key: text for key, text in meta.annotations.items() if key != name}
        if value is not None:
            others[name] = value
        self.host = replace(self.host, metadata=replace(meta, annotations=others))

    def delete(self) -> None:
        meta = self.host.metadata
        if not meta.is_going:
            self.host = replace(
                self.host,
                metadata=replace(meta, deletion_timestamp=self.now, generation=meta.generation + 1),
            )

    # What happens by itself.

    def happen(self, choose: Choose) -> None:
        """Let something that is under way in Ironic end."""
        before = self.ironic.document and self.ironic.document.get("target_power_state")
        self.ironic.pass_time(choose)
        document = self.ironic.document
        if document is None:
            return
        if before and document["power_state"] == before:
            self.powered = before == "power on"
        if document["provision_state"] == ProvisionState.ACTIVE and not document["power_state"]:
            self.powered = True
        if document["provision_state"] not in ("enroll", "verifying"):
            document["power_state"] = "power on" if self.powered else "power off"

    def observe(self) -> Observation[Call]:
        node = self.ironic.node() if self.ironic_up else None
        shown = None
        if node is not None:
            power = {"power on": True, "power off": False}.get(str(node.status.power_state))
            shown = NodeSeen(
                id=node.uuid,
                state=node.status.provision_state,
                powered_on=power,
                fault=node.status.fault,
            )
        spec = self.host.spec
        known = subject(
            spec.bmc.address if spec.bmc else "redfish://10.0.0.9",
            uid=self.host.metadata.uid,
            bmc=parse(spec.bmc.address if spec.bmc else "redfish://10.0.0.9"),
            disable_power_off=spec.disable_power_off,
            automated_clean=spec.automated_cleaning_mode != "disabled",
        )

        def progress_of(goal: Goal) -> Progress[Call]:
            assert self.ironic_up, f"{goal} is asked for while Ironic is down"
            return advance(goal, known, node)

        return Observation(
            credentials=self.credentials,
            ironic_ready=self.ironic_up,
            node=shown,
            inventory=self.inventory,
            firmware=self.firmware,
            boot=self.boot if node is not None and boots_ramdisk(node) else None,
            site=self.site,
            progress_of=progress_of,
        )

    # What the operator does.

    def decide(self) -> Decision[Call]:
        return decide(self.host, self.observe(), now=self.now, settings=self.settings)

    def look(self, *, dies: bool = False) -> Decision[Call]:
        """Look once and carry out what follows; or die after the status was written."""
        decision = self.decide()
        self._check(decision)
        self.last = decision
        if decision.finalizer is FinalizerStep.ADD:
            meta = self.host.metadata
            self.host = replace(
                self.host, metadata=replace(meta, finalizers=(*meta.finalizers, finalizer.HOST))
            )
            return decision
        if decision.wants_inventory:
            self.inventory = HARDWARE
        if not decision.calls_first:
            self.host = replace(self.host, status=decision.status)
        if dies:
            return decision
        for call in decision.calls:
            self.power_actions += isinstance(call, calls.SetPower)
            self.ironic.perform(call)
        self.host = replace(self.host, status=decision.status)
        for name in decision.annotations_removed:
            self.annotate(name, None)
        if decision.finalizer is FinalizerStep.REMOVE:
            meta = self.host.metadata
            self.host = replace(self.host, metadata=replace(meta, finalizers=()))
        return decision

    def settle(self, choose: Choose, *, looks: int = 80) -> None:
        """Look and let things happen until nothing changes."""
        for _ in range(looks):
            before = (self.host, copy.deepcopy(self.ironic.document))
            decision = self.look()
            if self.gone:
                return
            self.happen(choose)
            self.now += timedelta(seconds=max(1.0, decision.requeue_after or 600.0))
            if before == (self.host, self.ironic.document) and not decision.calls:
                return
        raise AssertionError(f"not settled after {looks} looks: {self.last}")

    # What must never be.

    def _check(self, decision: Decision[Call]) -> None:
        self._check_transition(decision)
        self._check_error(decision)
        self._check_power(decision)
        for count in decision.counts:
            assert set(count.labels) == set(DECLARED[count.name].labels), count
            assert (count.seconds is None) == (DECLARED[count.name].buckets is None), count
        assert decision.explanation
        kinds = [one.type for one in decision.status.conditions]
        assert len(kinds) == len(set(kinds))

    def _check_transition(self, decision: Decision[Call]) -> None:
        before, after = self.state, decision.status.provisioning.state
        if before is after:
            return
        going = self.host.metadata.is_going
        legal = LEGAL_DELETION[before] | {S.DELETING} if going else LEGAL[before]
        if going and before is S.DEPROVISIONING:
            assert after is not S.AVAILABLE
        assert after in legal, f"{before} to {after}"

    def _check_error(self, decision: Decision[Call]) -> None:
        status = decision.status
        assert (status.error_type is None) == (not status.error_message)
        if status.operational_status is OperationalStatus.ERROR:
            assert status.error_type
        if status.error_type and annotation.PAUSED not in self.host.metadata.annotations:
            assert recall(status, Memory.BACKING_OFF) or decision.calls or self._retries(decision)
        if status.error_type and finalizer.HOST in self.host.metadata.finalizers:
            held = annotation.PAUSED in self.host.metadata.annotations
            over = decision.finalizer is FinalizerStep.REMOVE
            assert decision.requeue_after is not None or held or over

    def _retries(self, decision: Decision[Call]) -> bool:
        return decision.requeue_after is not None

    def _check_power(self, decision: Decision[Call]) -> None:
        """A host in use is only touched where somebody asks for it."""
        meta, spec = self.host.metadata, self.host.spec
        state = decision.status.provisioning.state
        asked = any(name.startswith(annotation.REBOOT) for name in meta.annotations)
        serviced = decision.status.operational_status is OperationalStatus.SERVICING
        for call in decision.calls:
            if isinstance(call, calls.SetPower):
                if call.target is not PowerTarget.ON and state in IN_USE:
                    assert not spec.online or asked, f"{call} in {state}"
                if spec.disable_power_off:
                    assert call.target not in (PowerTarget.OFF, PowerTarget.SOFT_OFF)
            elif state in IN_USE and not isinstance(call, HARMLESS):
                verb = call.verb if isinstance(call, calls.Ask) else None
                assert serviced or verb in HARMLESS_VERBS, f"{call} in {state}"
