"""How long each step of a server's way to a node took, by what consoles and the API tell."""

from __future__ import annotations

import pytest

from tests.bench.workers_split import STEPS, Moments, boots_on, moment, split

HARDWARE = "worker-0: 3072 MiB memory, 1 disks, 2 cards, legacy"
EARLIER = f"""\
[  0.000] {HARDWARE} boot; it is 2026-08-01T09:00:00.000+00:00
ironic-python-agent[250]: 2026-08-01 09:00:20.000 250 INFO agent [-] Lookup succeeded, node UUID 1
[  0.000] power button was pressed: power off; it is 2026-08-01T09:59:59.000+00:00
"""
AGENT = f"""\
[  0.000] {HARDWARE} boot; it is 2026-08-01T10:00:05.500+00:00
[  0.001] boot once from: network
[  0.002] network: trying to boot
ironic-python-agent[250]: 2026-08-01 10:00:25.250 250 INFO agent [-] Lookup succeeded, node UUID 1
"""
DISK = f"""\
[  0.000] {HARDWARE} boot; it is 2026-08-01T10:01:25.750+00:00\r
[  0.001] boot order: disk, network
[  0.002] disk: trying to boot
"""
BEGUN = moment("2026-08-01T10:00:00Z")


def test_every_step_ends_where_the_next_begins() -> None:
    lasted = split(_moments(100.0, 100.5, 103.0, 123.0, 183.0, 203.0, 230.0))
    assert lasted == {
        "claim": 0.5,
        "power-on": 2.5,
        "agent": 20.0,
        "write": 60.0,
        "boot": 20.0,
        "join": 27.0,
    }


def test_a_time_that_was_cut_to_whole_seconds_makes_no_step_shorter_than_nothing() -> None:
    lasted = split(_moments(100.9, 101.2, 103.0, 123.0, 183.0, 203.9, 203.0))
    assert lasted["join"] == 0
    assert sum(lasted.values()) == pytest.approx(203.9 - 100.9)
    assert tuple(lasted) == STEPS


def test_a_console_tells_of_both_starts_and_of_the_agent_between() -> None:
    found = boots_on(EARLIER + AGENT + DISK, since=BEGUN)
    assert [at - BEGUN for at in found] == [5.5, 25.25, 85.75]


def test_a_boot_that_was_lost_counts_from_the_first_power_on() -> None:
    lost = f"[  0.000] {HARDWARE} boot; it is 2026-08-01T10:00:02.000+00:00\nno DHCP\n"
    assert boots_on(lost + AGENT + DISK, since=BEGUN).powered == BEGUN + 2


@pytest.mark.parametrize(
    ("console", "missing"),
    [
        ("", "no agent that found Ironic in 0 starts"),
        (EARLIER, "no agent that found Ironic in 0 starts"),
        (DISK, "no agent that found Ironic in 1 starts"),
        (DISK + AGENT, "no start from the disk"),
    ],
)
def test_a_console_without_a_part_of_it_is_not_guessed_from(console: str, missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        boots_on(console, since=BEGUN)


def _moments(*at: float) -> Moments:
    scaled, claimed, powered, agent, booted, reported, ready = at
    return Moments(
        scaled=scaled,
        claimed=claimed,
        powered=powered,
        agent=agent,
        booted=booted,
        reported=reported,
        ready=ready,
    )
