from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.onprem.model import Role
from ingot.onprem.priority import API_BASE, BOOTSTRAP, ApiBonus, check_order
from ingot.onprem.problem import UnwritableError
from ingot.onprem.vipduty import (
    ApiHealth,
    Duty,
    IngressHealth,
    api_duty,
    bootstrap_duty,
    ingress_duty,
    write_duty,
)

API_HEALTH = st.builds(
    ApiHealth,
    balancer_runs=st.booleans(),
    ready_backends=st.integers(0, 20),
    redirected=st.booleans(),
    local_ready=st.booleans(),
)
ROUTER = st.builds(IngressHealth, alive=st.booleans(), ready=st.booleans(), default=st.booleans())


@given(API_HEALTH)
def test_no_control_plane_node_can_outbid_a_live_bootstrap(health: ApiHealth) -> None:
    assert api_duty(health).priority < bootstrap_duty(serving=True, reason="").priority


def test_a_bonus_that_would_outbid_the_bootstrap_is_refused() -> None:
    with pytest.raises(ValueError, match="would leave a live bootstrap"):
        check_order(BOOTSTRAP, API_BASE, BOOTSTRAP - API_BASE)


@given(API_HEALTH)
def test_no_node_holds_the_api_without_a_ready_backend_of_its_own_balancer(
    health: ApiHealth,
) -> None:
    if api_duty(health).may_hold:
        assert health.balancer_runs
        assert health.ready_backends > 0
        assert health.redirected or health.local_ready


@given(st.lists(st.tuples(st.integers(1, 16), st.booleans()), min_size=2))
def test_between_nodes_that_balance_the_vip_has_no_reason_to_move(
    nodes: list[tuple[int, bool]],
) -> None:
    duties = [
        api_duty(
            ApiHealth(balancer_runs=True, ready_backends=ready, redirected=True, local_ready=local)
        )
        for ready, local in nodes
    ]
    assert len({duty.priority for duty in duties}) == 1


@given(ROUTER, st.sampled_from([Role.CONTROL_PLANE, Role.WORKER]))
def test_no_node_holds_ingress_without_a_live_router(router: IngressHealth, role: Role) -> None:
    assert ingress_duty(router, role).may_hold == router.alive


@pytest.mark.parametrize(
    ("role", "ready"), list(product([Role.CONTROL_PLANE, Role.WORKER], [0, 1]))
)
def test_the_default_router_is_preferred_even_while_it_is_drained(role: Role, ready: int) -> None:
    default = IngressHealth(alive=True, ready=bool(ready), default=True)
    other = IngressHealth(alive=True, ready=True, default=False)
    assert ingress_duty(default, role).priority > ingress_duty(other, Role.WORKER).priority


@pytest.mark.parametrize(("ready", "default"), list(product([False, True], repeat=2)))
def test_a_worker_is_preferred_to_the_control_plane_with_the_same_router(
    *, ready: bool, default: bool
) -> None:
    router = IngressHealth(alive=True, ready=ready, default=default)
    worker, control_plane = (
        ingress_duty(router, role) for role in (Role.WORKER, Role.CONTROL_PLANE)
    )
    assert worker.priority > control_plane.priority
    assert control_plane.may_hold


@pytest.mark.parametrize(
    ("duty", "text"),
    [
        (Duty(API_BASE, None, ""), "-254\n"),
        (Duty(API_BASE, ApiBonus.BALANCED, ""), "20\n"),
        (Duty(BOOTSTRAP, 0, ""), "0\n"),
    ],
)
def test_a_duty_is_a_number_for_keepalived(tmp_path: Path, duty: Duty, text: str) -> None:
    path = tmp_path / "api.duty"
    assert write_duty(path, duty)
    assert path.read_text() == text
    assert not write_duty(path, duty)


def test_a_duty_that_cannot_be_written_leaves_the_last_one(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="No such file"):
        write_duty(tmp_path / "missing" / "api.duty", Duty(API_BASE, None, ""))


@pytest.mark.parametrize(
    ("health", "words"),
    [
        ((False, 3, True, True), "no balancer that runs"),
        ((True, 0, True, True), "finds no API server ready"),
        ((True, 1, True, False), "balances over 1 ready API server"),
        ((True, 2, False, True), "no redirect to its balancer, only its own API"),
        ((True, 2, False, False), "its own API is not ready"),
    ],
)
def test_reasons_are_for_people(health: tuple[bool, int, bool, bool], words: str) -> None:
    runs, ready, redirected, local = health
    seen = ApiHealth(
        balancer_runs=runs, ready_backends=ready, redirected=redirected, local_ready=local
    )
    assert words in api_duty(seen).reason
