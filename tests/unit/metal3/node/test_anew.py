"""Boots of a ramdisk that are ended to begin anew, and steps that are not."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.ironic.states import ProvisionState
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.goal import Deprovision, Goal, Inspect, Prepare, Provision, Service
from ingot.metal3.node.situation import boots_ramdisk
from tests.unit.metal3.node.nodes import IMAGE, INSTANCE, host, node
from tests.unit.metal3.node.words import said

S = ProvisionState
PROVISION = Provision(instance_uuid=INSTANCE, image=IMAGE)

ANEW: dict[str, tuple[Goal, ProvisionState, str]] = {
    "inspect": (Inspect(mode=InspectionMode.AGENT, forced_reboot=True), S.CLEAN_WAIT, "clean_step"),
    "prepare": (Prepare(bios={"A": "2"}, forced_reboot=True), S.CLEAN_WAIT, "clean_step"),
    "provision": (
        Provision(instance_uuid=INSTANCE, image=IMAGE, forced_reboot=True),
        S.CLEAN_WAIT,
        "clean_step",
    ),
    "deprovision": (
        Deprovision(forced_reboot=True),
        S.CLEAN_WAIT,
        "clean_step",
    ),
    "service": (Service(bios={"A": "2"}, forced_reboot=True), S.SERVICE_WAIT, "service_step"),
}


@pytest.mark.parametrize("name", ANEW)
@pytest.mark.parametrize("abortable", [True, False])
def test_a_boot_is_begun_anew_and_a_step_is_not_cut_off(name: str, *, abortable: bool) -> None:
    goal, state, kind = ANEW[name]
    for target in ("available", "manageable"):
        boots = node(state, target_provision_state=target)
        assert said(advance(goal, host(), boots)) == "abort"
    step: Any = {kind: {"step": "update", "interface": "firmware", "abortable": abortable}}
    assert said(advance(goal, host(), node(state, **step))) == "wait"


BOOTS: dict[str, tuple[ProvisionState, dict[str, Any], bool]] = {
    "an inspection": (S.INSPECT_WAIT, {}, True),
    "cleaning before its first step": (S.CLEAN_WAIT, {}, True),
    "a clean step": (S.CLEAN_WAIT, {"clean_step": {"step": "erase_devices"}}, False),
    "a deployment's first step": (S.DEPLOY_WAIT, {"deploy_step": {"step": "deploy"}}, True),
    "a deploy step": (S.DEPLOY_WAIT, {"deploy_step": {"step": "write_image"}}, False),
    "a service before its first step": (S.SERVICE_WAIT, {}, True),
    "a service step": (S.SERVICE_WAIT, {"service_step": {"step": "update"}}, False),
    "a rescue": (S.RESCUE_WAIT, {}, False),
    "nothing": (S.AVAILABLE, {}, False),
}


@pytest.mark.parametrize("name", BOOTS)
def test_it_is_known_whether_a_ramdisk_boots(name: str) -> None:
    state, step, boots = BOOTS[name]
    assert boots_ramdisk(node(state, **step)) is boots


def test_cleaning_that_was_aborted_before_a_deployment_starts_over_by_itself() -> None:
    seen = node(S.CLEAN_FAILED, last_error="By request, the clean operation was aborted")
    assert said(advance(PROVISION, host(), seen)) == "manage"
    assert said(advance(PROVISION, host(), node(S.CLEAN_FAILED, last_error="no disk"))) == "failed"
