from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ingot.onprem.handover import (
    LOOKS,
    LOOKS_WITHOUT_API,
    BootstrapHealth,
    HandOver,
    Stage,
    after_look,
)
from ingot.onprem.steady import Steady

READY = BootstrapHealth(api_ready=True, provisioning=True)
BLIP = BootstrapHealth(api_ready=False, provisioning=True)
GONE = BootstrapHealth(api_ready=False, provisioning=False)
LEFT = replace(GONE, ready_nodes=2)
LOOK = st.builds(
    BootstrapHealth,
    api_ready=st.booleans(),
    provisioning=st.booleans(),
    told_done=st.booleans(),
    ready_nodes=st.integers(0, 3),
)


def stages(looks: Iterable[BootstrapHealth], memory: HandOver = HandOver()) -> list[Stage]:  # noqa: B008 - it is immutable
    seen = []
    for look in looks:
        memory, duty = after_look(memory, look)
        assert duty.may_hold == memory.serving
        assert duty.priority == (70 if memory.serving else 0)
        seen.append(memory.stage)
    return seen


def test_the_vip_is_held_from_the_first_second_however_long_the_api_takes_to_start() -> None:
    assert set(stages([GONE] * 2000)) == {Stage.STARTING}


def test_the_vip_is_kept_through_any_blip_while_provisioning_is_under_way() -> None:
    assert set(stages([READY, *[BLIP] * 500])) == {Stage.SERVING}


def test_it_is_handed_over_at_the_fifteenth_look_without_api_and_provisioning() -> None:
    seen = stages([READY, *[LEFT] * LOOKS_WITHOUT_API])
    assert seen.index(Stage.HANDED_OVER) == LOOKS_WITHOUT_API


def test_it_is_kept_by_a_silent_bootstrap_as_long_as_nobody_else_could_serve() -> None:
    one_ready = replace(GONE, ready_nodes=1)
    assert set(stages([READY, *[GONE] * 500, *[one_ready] * 500])) == {Stage.SERVING}


def test_looks_count_only_in_a_row() -> None:
    nearly = [LEFT] * (LOOKS_WITHOUT_API - 1)
    for one in (READY, BLIP, GONE):
        assert Stage.HANDED_OVER not in stages([READY, *[*nearly, one] * 3])


def done(ready: int, *, provisioning: bool = False, wanted: int = 3) -> BootstrapHealth:
    return BootstrapHealth(
        api_ready=True,
        provisioning=provisioning,
        told_done=True,
        ready_nodes=ready,
        wanted_nodes=wanted,
    )


def test_told_that_its_work_is_done_it_hands_over_at_once_to_two_ready_nodes() -> None:
    assert stages([READY, done(2)])[-1] is Stage.HANDED_OVER
    assert stages([READY, done(1)])[-1] is Stage.SERVING
    assert stages([READY, done(1, wanted=1)])[-1] is Stage.HANDED_OVER
    assert stages([READY, done(3, provisioning=True)])[-1] is Stage.HANDED_OVER


def test_it_is_taken_back_when_no_control_plane_node_is_ready_after_all() -> None:
    alone = BootstrapHealth(api_ready=True, provisioning=False)
    handed = HandOver(Stage.HANDED_OVER)
    assert stages([alone] * LOOKS, handed)[-1] is Stage.SERVING
    assert stages([alone] * (LOOKS - 1), handed)[-1] is Stage.HANDED_OVER


def test_it_is_not_taken_back_from_a_control_plane_that_serves() -> None:
    served = BootstrapHealth(api_ready=True, provisioning=False, ready_nodes=1)
    assert set(stages([served] * 100, HandOver(Stage.HANDED_OVER))) == {Stage.HANDED_OVER}


def test_it_is_not_taken_back_by_a_bootstrap_without_an_api() -> None:
    assert set(stages([GONE] * 100, HandOver(Stage.HANDED_OVER))) == {Stage.HANDED_OVER}


@given(st.lists(LOOK, max_size=40))
def test_it_is_never_handed_over_while_provisioning_is_under_way(
    looks: list[BootstrapHealth],
) -> None:
    memory = HandOver()
    for look in looks:
        before = memory.stage
        memory, _duty = after_look(memory, look)
        if before is not Stage.HANDED_OVER and memory.stage is Stage.HANDED_OVER:
            assert look.told_done or not look.provisioning
            assert look.ready_nodes > 1


@given(st.integers(1, 5), st.integers(1, 5), st.lists(st.booleans(), max_size=40))
def test_a_steady_judgement_changes_only_after_enough_in_a_row(
    rise: int, fall: int, seen: list[bool]
) -> None:
    judged = Steady(rise=rise, fall=fall)
    for number, good in enumerate(seen, start=1):
        before, judged = judged, judged.after(good=good)
        if judged.well != before.well:
            needed = rise if judged.well else fall
            assert seen[number - needed : number] == [judged.well] * needed
