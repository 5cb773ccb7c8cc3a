"""Which host becomes what."""

from __future__ import annotations

import pytest

from ingot.assets.roster import roster
from tests.unit.assets.clusters import Tree, cluster


@pytest.mark.parametrize(
    ("roles", "leading"),
    [
        (["master", "master", "master", "worker", "worker"], [0, 1, 2]),
        (["", "", "", "", ""], [0, 1, 2]),
        (["worker", "", "master", "", "master"], [1, 2, 4]),
        (["", "master", "master", "master", "worker"], [1, 2, 3]),
        (["master", "master", "master", "master", "worker"], [0, 1, 2]),
    ],
)
def test_roles_come_first_and_gaps_are_filled_in_order(
    roles: list[str], leading: list[int]
) -> None:
    def change(tree: Tree) -> None:
        for host, role in zip(tree["platform"]["baremetal"]["hosts"], roles, strict=True):
            host["role"] = role

    config = cluster(change=change)
    names = [host.name for host in config.baremetal.hosts]
    found = roster(config)
    assert [host.name for host in found.control_plane] == [names[index] for index in leading]
    assert {host.name for host in found.all} == set(names)
