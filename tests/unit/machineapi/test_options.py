"""What the program is told by its environment."""

from __future__ import annotations

import pytest

from ingot.kube.lease import Terms
from ingot.machineapi.options import OptionsError, read


def test_nothing_has_to_be_said() -> None:
    options = read({})
    assert (options.namespace, options.own_namespace) == ("metal3", "metal3")
    assert options.terms == Terms()
    assert (options.patience.drain, options.patience.release) == (600, 1800)


def test_a_program_may_act_without_a_lease() -> None:
    assert read({"LEADER_ELECTION": "false"}).terms is None


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(OptionsError) as caught:
        read(
            {
                "INGOT_DRAIN_SECONDS": "soon",
                "LEADER_ELECTION": "maybe",
                "INGOT_LOG_LEVEL": "loud",
            }
        )
    assert [one.split()[0] for one in caught.value.mistakes] == [
        "INGOT_LOG_LEVEL",
        "LEADER_ELECTION",
        "INGOT_DRAIN_SECONDS",
    ]


def test_a_lease_that_cannot_work_is_a_mistake() -> None:
    with pytest.raises(OptionsError, match="duration > renew deadline > retry period"):
        read({"LEASE_DURATION_SECONDS": "1"})
