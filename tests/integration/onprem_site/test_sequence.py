"""Faults by chance: the same for the same seed, and such as can be."""

from __future__ import annotations

import pytest

from tests.onprem_site.sequence import OF_PROCESSES, Fault, Kind, Trouble, trouble

NODES = ("bootstrap", "control-0", "control-1", "control-2")
MANY = range(300)


def test_a_seed_gives_the_same_sequence_each_time_and_another_gives_another() -> None:
    assert trouble(1, NODES, seconds=20) == trouble(1, NODES, seconds=20)
    assert trouble(1, NODES, seconds=20) != trouble(2, NODES, seconds=20)


@pytest.mark.parametrize("seed", [0, 7, 2**31])
def test_a_sequence_is_read_as_it_was_printed(seed: int) -> None:
    printed = trouble(seed, NODES, seconds=20)
    assert Trouble.read(str(printed)) == printed


def test_every_kind_comes_up_and_every_fault_ends() -> None:
    faults = [fault for seed in MANY for fault in trouble(seed, NODES, seconds=20).faults]
    assert {fault.kind for fault in faults} == set(Kind)
    assert all(fault.begin < fault.end for fault in faults)


def test_only_the_kinds_that_are_wanted_come_up() -> None:
    wanted = (Kind.CUT, Kind.LOSS)
    faults = [
        fault for seed in MANY for fault in trouble(seed, NODES, seconds=9, kinds=wanted).faults
    ]
    assert {fault.kind for fault in faults} == set(wanted)


def test_a_partition_leaves_nodes_on_both_sides() -> None:
    sizes = {
        len(fault.nodes)
        for seed in MANY
        for fault in trouble(seed, NODES, seconds=20, kinds=[Kind.PARTITION]).faults
    }
    assert sizes == {1, 2, 3}


def test_faults_that_would_undo_each_other_are_not_there_together() -> None:
    for seed in MANY:
        faults = trouble(seed, NODES, seconds=20).faults
        for number, fault in enumerate(faults):
            for other in faults[number + 1 :]:
                if other.begin <= fault.end and other.nodes == fault.nodes:
                    assert other.kind is not fault.kind
                    assert not {other.kind, fault.kind} <= OF_PROCESSES


def test_beginnings_and_ends_come_in_order() -> None:
    first = Fault(begin=0, end=3, kind=Kind.CUT, nodes=("a",))
    second = Fault(begin=1, end=2, kind=Kind.LOSS, value=20)
    told = Trouble(0, (first, second))
    assert told.moments == [
        (0, True, first),
        (1, True, second),
        (2, False, second),
        (3, False, first),
    ]
    assert told.seconds == 3
