"""A new Machine of a set."""

from __future__ import annotations

from ingot.machineapi.machinesets.making import made
from tests.unit.machineapi.objects import machine_set


def test_a_machine_is_made_from_the_template_and_belongs_to_the_set() -> None:
    found = machine_set("workers", labels={"set": "workers", "x": "y"})
    body = made(found)
    assert body["spec"] == found.content["spec"]["template"]["spec"]
    assert body["metadata"]["labels"]["x"] == "y"
    (owner,) = body["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"]) == (
        "MachineSet",
        "workers",
        "uid-of-workers",
    )
    assert owner["controller"]


def test_what_the_model_does_not_know_is_kept() -> None:
    value = {"image": {"url": "http://i/d", "checksum": "x"}, "later": {"a": 1}}
    assert made(machine_set(value=value))["spec"]["providerSpec"]["value"] == value


def test_an_id_in_the_template_is_not_handed_on() -> None:
    template = {"metadata": {"labels": {}}, "spec": {"providerID": "baremetalhost:///a/b/c"}}
    assert "providerID" not in made(machine_set(spec={"template": template}))["spec"]


def test_names_differ_and_fit_into_a_label() -> None:
    names = {made(machine_set("x" * 63))["metadata"]["name"] for _ in range(50)}
    assert len(names) == 50
    assert max(map(len, names)) == 63


def test_a_label_of_the_template_is_not_replaced() -> None:
    label = "machine.openshift.io/cluster-api-machineset"
    assert made(machine_set(labels={label: "mine"}))["metadata"]["labels"][label] == "mine"
