"""What is written to a host when it is taken, and when it is given back."""

from __future__ import annotations

from typing import Any

from ingot.kube.kind import ObjectKey
from ingot.machineapi.machines.taking import cleared, freed, taken
from tests.unit.machineapi.objects import IMAGE, host, machine

OURS = ObjectKey("metal3", "worker-0")


def written(value: dict[str, Any]) -> dict[str, Any]:
    spec = machine(value=value).model.spec.provider_spec.value
    assert spec is not None
    found: dict[str, Any] = taken(spec, OURS, host("host-0"))["spec"]
    return found


def test_a_host_is_told_whose_it_is_and_what_it_runs_at_once() -> None:
    assert written({"image": IMAGE, "userData": {"name": "workers"}}) == {
        "consumerRef": {
            "apiVersion": "machine.openshift.io/v1beta1",
            "kind": "Machine",
            "namespace": "metal3",
            "name": "worker-0",
        },
        "image": IMAGE,
        "userData": {"name": "workers", "namespace": "metal3"},
        "online": True,
    }


def test_user_data_that_is_not_named_is_the_hosts_own() -> None:
    assert written({"image": IMAGE})["userData"]["name"] == "host-0-user-data"


def test_a_deploy_step_is_handed_on() -> None:
    assert written({"customDeploy": {"method": "m"}})["customDeploy"] == {"method": "m"}


def test_every_change_holds_for_the_version_that_was_looked_at() -> None:
    one = host(resourceVersion="7")
    for change in (cleared(one), freed(one)):
        assert change["metadata"] == {"resourceVersion": "7"}


def test_a_host_that_is_given_back_is_switched_off_and_keeps_its_machine_for_now() -> None:
    assert cleared(host())["spec"] == {
        "image": None,
        "customDeploy": None,
        "userData": None,
        "online": False,
    }


def test_a_host_that_may_not_be_switched_off_stays_on() -> None:
    assert cleared(host(spec={"disablePowerOff": True}))["spec"]["online"] is True
