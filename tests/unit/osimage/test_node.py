"""What goes into the node's root as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import ingot.osimage
from ingot.osimage.files.node.usr.lib.ingot.first_boot import TOLD, overwriting
from ingot.payload.versions import versions

TREE = Path(ingot.osimage.__path__[0]) / "files/node"


def test_containerd_keeps_the_pause_image_that_kubeadm_asks_for() -> None:
    config = tomllib.loads((TREE / "etc/containerd/config.toml").read_text(encoding="utf-8"))
    images = config["plugins"]["io.containerd.cri.v1.images"]
    pinned = versions()
    assert images["pinned_images"]["sandbox"] == f"{pinned.image_registry}/pause:{pinned.pause_tag}"


def test_second_try_may_overwrite_what_the_first_wrote() -> None:
    config: dict[str, object] = {
        "storage": {"files": [{"path": "/a", "overwrite": False}], "links": [{"path": "/b"}]}
    }
    assert overwriting(config) == {
        "storage": {
            "files": [{"path": "/a", "overwrite": True}],
            "links": [{"path": "/b", "overwrite": True}],
        }
    }


def test_config_without_files_stays_as_it_is() -> None:
    assert overwriting({"ignition": {"version": "3.3.0"}}) == {"ignition": {"version": "3.3.0"}}


def test_only_lines_of_a_level_are_told() -> None:
    said = [
        "INFO     : files: files passed\n",
        "CRITICAL : Ignition failed: no such file\n",
        'DEBUG    : executing: "usermod" "--password" "$6$secret"\n',
        '          "value": "secret"\n',
        "Full config:\n",
    ]
    assert [line for line in said if TOLD.match(line)] == said[:2]
