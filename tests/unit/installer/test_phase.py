"""Limits of phases, as users give them."""

from __future__ import annotations

import pytest

from ingot.errors import ExitCode, IngotError
from ingot.installer.phase import LIMITS, Phase, limits_from
from ingot.node.bootstrap.stage import Stage


def test_every_phase_has_a_limit() -> None:
    assert set(LIMITS) == set(Phase)


def test_a_limit_can_be_given() -> None:
    limits = limits_from(["hosts=2h", "join=90s", "services=1.5m"])
    assert (limits[Phase.HOSTS], limits[Phase.JOIN], limits[Phase.SERVICES]) == (7200, 90, 90)
    assert limits[Phase.NETWORK] == LIMITS[Phase.NETWORK]


@pytest.mark.parametrize("text", ["hosts", "hosts=", "hosts=2", "hosts=2d", "host=2h", "=2h"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(IngotError, match="phase=duration") as refused:
        limits_from([text])
    assert refused.value.exit_code == ExitCode.USAGE
    assert "hosts" in refused.value.remedy


def test_the_bootstraps_stages_are_phases_by_the_same_names() -> None:
    names = [stage.value for stage in Stage if stage is not Stage.COMPLETE]
    assert [phase.value for phase in Phase if phase.value in names] == names


def test_the_cluster_is_made_whole_after_the_bootstrap_is_gone() -> None:
    assert list(Phase)[-3:] == [Phase.CLEAN_UP, Phase.WORKERS, Phase.ADD_ONS]
