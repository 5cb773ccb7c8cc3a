"""What a lab may have left is known from its plan, even where the plan is of another version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.lab.labs import Lab
from ingot.lab.traces import read_traces
from tests.labplans import planned


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("INGOT_STATE", str(tmp_path))
    return Lab("test")


def test_everything_outside_of_the_folder_is_named(lab: Lab) -> None:
    plan = planned()
    lab.write_plan(plan)
    traces = read_traces(lab)
    assert traces is not None
    assert traces.namespaces == ("ingot-test", "ingot-test.host-cp-0", "ingot-test.host-worker-0")
    assert traces.links == (plan.networks.uplink,)


def test_what_libvirt_s_machines_are_plugged_into_is_named(lab: Lab) -> None:
    plan = planned("driver: libvirt\ncontrolPlane: 1\nworkers: 0\n")
    lab.write_plan(plan)
    traces = read_traces(lab)
    assert traces is not None
    ports = [nic.port for nic in plan.hosts[0].nics]
    assert set(traces.links) == {
        plan.networks.uplink,
        *(f"{port}{end}" for port in ports for end in "bo"),
    }


def test_a_plan_of_another_version_is_understood_as_far_as_needed(lab: Lab) -> None:
    lab.write_plan(planned())
    plan = json.loads(lab.plan_file.read_bytes())
    plan["colour"] = "red"
    del plan["hosts"][0]["memory_mib"]
    lab.plan_file.write_text(json.dumps(plan), encoding="utf-8")
    traces = read_traces(lab)
    assert traces is not None
    assert [host.name for host in traces.hosts] == ["cp-0", "worker-0"]


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"namespace": "x"}'])
def test_without_a_plan_there_are_only_files(lab: Lab, content: bytes | None) -> None:
    lab.home.mkdir(parents=True)
    if content is not None:
        lab.plan_file.write_bytes(content)
    assert read_traces(lab) is None


def test_labs_whose_names_begin_alike_share_no_namespace(lab: Lab) -> None:
    long = planned("controlPlane: 1\nworkers: 0\n", name="test-cp-0")
    lab.write_plan(planned())
    traces = read_traces(lab)
    assert traces is not None
    assert long.namespace not in traces.namespaces
