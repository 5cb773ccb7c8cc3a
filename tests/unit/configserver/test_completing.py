"""The config server's folder on a node: what it was given, with this node's authorities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingot.configserver import ignition
from ingot.configserver.completing import AUTHORITIES, MissingFileError, complete
from ingot.configserver.role import Role
from ingot.configserver.shelf import Shelf

COMMON = {"ignition": {"version": "3.3.0"}, "storage": {"files": [{"path": "/etc/issue"}]}}
HOSTS = {"hosts": [{"name": "w", "role": "worker", "tokenSha256": "0" * 64}]}


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    made = {name: tmp_path / name for name in ("given", "pki", "folder")}
    for path in made.values():
        path.mkdir()
    (made["given"] / "..data").mkdir()
    for name in ("control-plane.ign", "worker.ign"):
        (made["given"] / name).write_text(json.dumps(COMMON))
    (made["given"] / "hosts.json").write_text(json.dumps(HOSTS))
    for name in AUTHORITIES:
        path = made["pki"] / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"this is {name}")
    return made


def test_the_control_plane_is_given_this_nodes_authorities(folders: dict[str, Path]) -> None:
    complete(**folders)
    config = Shelf(folders["folder"]).config(Role.CONTROL_PLANE)
    for name in AUTHORITIES:
        assert ignition.file_in(config, f"/etc/kubernetes/pki/{name}") == f"this is {name}"
    modes = {one["path"]: one.get("mode") for one in config["storage"]["files"]}
    assert modes["/etc/kubernetes/pki/ca.key"] == 0o600
    assert "/etc/issue" in modes


def test_a_worker_is_given_none_of_them(folders: dict[str, Path]) -> None:
    complete(**folders)
    assert Shelf(folders["folder"]).config(Role.WORKER) == COMMON


def test_nobody_else_reads_the_keys(folders: dict[str, Path]) -> None:
    complete(**folders)
    assert (folders["folder"] / "control-plane.ign").stat().st_mode & 0o077 == 0


def test_a_host_that_is_added_later_is_seen(folders: dict[str, Path]) -> None:
    complete(**folders)
    shelf = Shelf(folders["folder"])
    assert len(shelf.roster().hosts) == 1
    more = [*HOSTS["hosts"], {"name": "x", "role": "worker", "tokenSha256": "1" * 64}]
    (folders["given"] / "hosts.json").write_text(json.dumps({"hosts": more}))
    assert len(shelf.roster().hosts) == 2


def test_it_can_be_done_again(folders: dict[str, Path]) -> None:
    complete(**folders)
    complete(**folders)
    assert Shelf(folders["folder"]).roster().hosts


def test_a_node_without_authorities_is_told_so(folders: dict[str, Path]) -> None:
    (folders["pki"] / "ca.key").unlink()
    with pytest.raises(MissingFileError, match=r"ca\.key"):
        complete(**folders)
