"""The goal of a bootstrap VM: what it is for decides what it goes through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.node.bootstrap import wiping
from ingot.node.bootstrap.options import OptionsError, read
from ingot.node.bootstrap.stage import Goal, Stage, stages_of

TOLD = {"name": "vm", "apiVIPs": ["192.0.2.5"], "vips": ["192.0.2.5"], "controlPlane": ["cp-0"]}


def test_an_install_goes_through_all_stages() -> None:
    assert stages_of(Goal.INSTALL) == tuple(Stage)


def test_where_disks_are_wiped_nobody_joins_and_nothing_is_handed_over() -> None:
    assert [stage.value for stage in stages_of(Goal.WIPE)] == [
        "network",
        "control-plane",
        "manifests",
        "services",
        "hosts",
        "complete",
    ]


def test_where_disks_are_wiped_there_is_no_config_server() -> None:
    assert wiping.CONFIG_SERVER in wiping.PODS[Goal.INSTALL]
    assert wiping.CONFIG_SERVER not in wiping.PODS[Goal.WIPE]


def test_a_vm_that_is_told_no_goal_installs(tmp_path: Path) -> None:
    told = tmp_path / "bootstrap.json"
    told.write_text(json.dumps(TOLD), encoding="utf-8")
    assert read(told).goal is Goal.INSTALL


def test_a_goal_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    told = tmp_path / "bootstrap.json"
    told.write_text(json.dumps({**TOLD, "goal": "dance"}), encoding="utf-8")
    with pytest.raises(OptionsError):
        read(told)
