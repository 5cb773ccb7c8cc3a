from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.onprem.keepalived import Keepalived, keepalived_of
from ingot.onprem.model import Role, Situation, VipKind
from tests.unit.onprem.situations import (
    CONTROL_PLANE,
    V4,
    V6,
    WORKERS,
    cluster,
    own,
    peers,
    situation,
)

RUN = Path("/run/ingot/vip")


def told(where: Situation) -> Keepalived:
    made = keepalived_of(where, run=RUN)
    assert made is not None
    return made


def listed(where: Situation, kind: VipKind) -> list[list[str]]:
    made = told(where).instances
    return [[str(peer) for peer in one.peers] for one in made if one.kind is kind]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bootstrap", [("ostest_API_0", 70)]),
        ("master-0", [("ostest_API_0", 40), ("ostest_INGRESS_0", 20)]),
        ("worker-0", [("ostest_INGRESS_0", 20)]),
    ],
)
def test_each_role_has_its_instances_and_priorities(
    name: str, expected: list[tuple[str, int]]
) -> None:
    assert [(one.name, one.priority) for one in told(situation(name)).instances] == expected


def test_dual_stack_has_an_instance_for_each_family_with_one_router_id() -> None:
    made = told(situation("master-0", V4, V6)).instances
    assert [one.name[-5:] for one in made] == ["API_0", "API_1", "ESS_0", "ESS_1"]
    assert [one.router_id for one in made] == [14, 14, 93, 93]


def test_the_control_plane_lists_each_other_but_never_the_bootstrap() -> None:
    assert listed(situation("master-0"), VipKind.API) == [["10.9.0.12", "10.9.0.13"]]
    assert listed(situation("bootstrap"), VipKind.API) == [["10.9.0.11", "10.9.0.12", "10.9.0.13"]]


def test_everybody_but_the_bootstrap_is_a_peer_for_ingress() -> None:
    (seen,) = listed(situation("worker-1"), VipKind.INGRESS)
    assert seen == ["10.9.0.11", "10.9.0.12", "10.9.0.13", "10.9.0.21"]


@pytest.mark.parametrize("name", ["bootstrap", *CONTROL_PLANE, *WORKERS])
@pytest.mark.parametrize("stacks", [(V4,), (V6,), (V4, V6)])
def test_no_instance_is_ever_multicast(name: str, stacks: tuple[str, ...]) -> None:
    for one in told(situation(name, *stacks)).instances:
        for made in (one, replace(one, peers=())):
            block = made.render()
            assert "unicast_fault_no_peer" in block
            assert re.search(r"unicast_peer \{\n +\S+\n", block)


def test_a_node_that_the_others_do_not_list_has_no_part_in_it() -> None:
    assert keepalived_of(replace(situation("master-0"), peers=peers()[1:]), run=RUN) is None


def test_where_the_balancer_is_the_users_no_node_has_a_part_in_it() -> None:
    assert keepalived_of(situation("master-0", of=cluster(managed=False)), run=RUN) is None


def test_a_bootstrap_without_peers_still_has_its_instance() -> None:
    alone = Situation(
        cluster=cluster(), name="bootstrap", role=Role.BOOTSTRAP, own=own("bootstrap"), peers=()
    )
    assert told(alone).render().count("unicast_peer") == 1


def test_health_comes_by_files_and_no_program_is_started() -> None:
    text = told(situation("master-0", V4, V6)).render()
    assert 'file "/run/ingot/vip/api.duty"' in text
    assert 'file "/run/ingot/vip/ingress.duty"' in text
    assert text.count("init_file -254") == 2
    assert "script" not in text
    assert "notify_fifo /run/ingot/vip/keepalived.fifo" in text


def test_the_whole_file_of_a_worker() -> None:
    assert told(situation("worker-0")).render() == (
        Path(__file__).with_name("worker.keepalived.conf").read_text()
    )
