"""What each server of an install becomes."""

from __future__ import annotations

from typing import Any

from ingot.installer.roles import roles_of
from tests.unit.assets.clusters import cluster


def test_a_server_of_the_control_plane_beyond_its_number_is_a_spare() -> None:
    def change(tree: dict[str, Any]) -> None:
        tree["platform"]["baremetal"]["hosts"][3]["role"] = "master"

    roles = roles_of(cluster(change=change))
    assert list(roles.values()) == ["control-plane"] * 3 + ["spare", "worker"]
