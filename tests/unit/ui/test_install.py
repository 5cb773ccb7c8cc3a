"""How an install is shown: what is new, in lines, as events, and in one picture."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress
from ingot.ui.install import EventDisplay, LiveDisplay, PlainDisplay, changes

START = datetime.now(UTC) - timedelta(seconds=75)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


ASSETS = PhaseTimes(phase=Phase.ASSETS, began=at(0), ended=at(12))
HOSTS = PhaseTimes(phase=Phase.HOSTS, began=at(12))
WRITING = HostProgress(
    name="control-plane-0", state="provisioning", step="image is being written", share=0.43
)
TROUBLED = HostProgress(
    name="control-plane-1",
    state="inspecting",
    attempts=2,
    error="Power on failed: HTTP POST https://192.0.2.12/redfish/v1/Systems/1 returned code 503, "
    "and what the server says of it goes on for much longer than any terminal is wide",
)
MIDWAY = Progress(
    phases=(ASSETS, HOSTS),
    message="waiting for control-plane-0 and control-plane-1 to be provisioned, and for [others] "
    "of which there are more than fit on one line",
    hosts=(WRITING, TROUBLED),
    vip_holder="lab-bootstrap",
    last_event="control-plane-1: [PowerOn] " + "and so on " * 20,
)


def test_nothing_new_is_told_of_what_is_the_same() -> None:
    assert list(changes(MIDWAY, MIDWAY)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"message": "two are there"}, ("message", "two are there")),
        ({"message": ""}, None),
        ({"error": "no lease"}, ("error", "error, tried again: no lease")),
        ({"vip_holder": "control-plane-0"}, ("vip", "the API's VIP is on control-plane-0")),
        ({"vip_holder": ""}, None),
        (
            {"error": "another DHCP server", "lasting": True},
            ("error", "error, needs a person: another DHCP server"),
        ),
        ({"phases": (ASSETS, replace(HOSTS, ended=at(72)))}, ("phase", "hosts took 1 min 0 s")),
        ({"hosts": (replace(WRITING, share=0.49), TROUBLED)}, None),
        (
            {"hosts": (replace(WRITING, share=0.51), TROUBLED)},
            ("host", "control-plane-0 provisioning: 50 % of its image is written"),
        ),
        (
            {"hosts": (replace(WRITING, share=None, step="the deployment is done"), TROUBLED)},
            ("host", "control-plane-0 provisioning: the deployment is done"),
        ),
        (
            {"hosts": (replace(WRITING, state="provisioned", step="", share=None), TROUBLED)},
            ("host", "control-plane-0 provisioned"),
        ),
        ({"hosts": (WRITING, replace(TROUBLED, attempts=3))}, None),
        (
            {"hosts": (replace(WRITING, lost="no sign of the agent"), TROUBLED)},
            ("host", "control-plane-0 provisioning: no sign of the agent"),
        ),
        (
            {"hosts": (WRITING, replace(TROUBLED, error="no DHCP"))},
            ("host", "control-plane-1 inspecting: no DHCP"),
        ),
    ],
)
def test_each_change_is_told(change: dict[str, object], told: tuple[str, str] | None) -> None:
    after = replace(MIDWAY, **change)  # type: ignore[arg-type] # as the table has it
    assert list(changes(MIDWAY, after)) == ([told] if told else [])


def test_a_lost_boot_is_told_once_and_its_end_is_not() -> None:
    lost = replace(MIDWAY, hosts=(replace(WRITING, lost="no sign of the agent"), TROUBLED))
    assert list(changes(lost, lost)) == []
    assert list(changes(lost, MIDWAY)) == []


def test_a_phase_that_ends_and_the_next_that_begins_are_told_in_order() -> None:
    before = Progress(phases=(replace(ASSETS, ended=None),))
    after = Progress(phases=(ASSETS, HOSTS))
    assert list(changes(before, after)) == [("phase", "assets took 12 s"), ("phase", "hosts")]


def test_plain_lines_have_the_time_since_the_beginning() -> None:
    stream = io.StringIO()
    display = PlainDisplay(stream)
    # By the clock at this moment: the module may have been read minutes ago.
    began = datetime.now(UTC) - timedelta(seconds=75)
    assets = replace(ASSETS, began=began, ended=began + timedelta(seconds=12))
    display.show(Progress(phases=(assets, HOSTS), message="waiting"))
    display.show(Progress(phases=(assets, HOSTS), message="waiting"))
    phase, hosts, message = stream.getvalue().splitlines()
    assert phase.endswith("] ==> assets took 12 s")
    assert hosts.startswith("[ 1:")
    assert message.endswith("]     waiting")


def test_events_are_one_object_on_a_line() -> None:
    stream = io.StringIO()
    EventDisplay(stream).show(MIDWAY)
    events = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [event["type"] for event in events] == [
        "phase",
        "phase",
        "message",
        "host",
        "host",
        "vip",
    ]
    assert {event["phase"] for event in events} == {"hosts"}
    assert all(datetime.fromisoformat(event["at"]).tzinfo for event in events)


def pictured(progress: Progress, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    display = LiveDisplay()
    display.show(progress)
    with console.capture() as captured:
        console.print(display)
    return [line.rstrip() for line in captured.get().splitlines()]


CALM = replace(MIDWAY, hosts=(WRITING, replace(WRITING, name="control-plane-1", share=0.07)))


@pytest.mark.parametrize("width", [80, 120])
def test_the_picture_keeps_a_line_for_everything(width: int) -> None:
    lines = pictured(CALM, width)
    assert max(map(len, lines)) <= width
    # Two phases; headings and two hosts, with a line around them; the VIP and the event.
    assert len(lines) == 9
    assert lines[0] == "✓ assets 12 s"
    assert re.match(r"… hosts  \d+ min", lines[1])  # The module may have been read minutes ago.
    assert lines[1].endswith("…")
    assert lines[4].startswith("control-plane-0 ")
    assert lines[4].endswith("43 % of its image is written")
    assert lines[5].endswith(" 7 % of its image is written")
    assert lines[7] == "API VIP    lab-bootstrap"
    assert "[PowerOn]" in lines[8]


@pytest.mark.parametrize("width", [80, 120])
def test_an_error_of_a_server_can_be_read_to_its_end(width: int) -> None:
    lines = pictured(MIDWAY, width)
    assert max(map(len, lines)) <= width
    read = " ".join(" ".join(lines[5:-3]).split())
    assert read.startswith("control-plane-1 ")
    assert read.endswith("goes on for much longer than any terminal is wide")
    assert " 2 Power on failed" in lines[5].replace("      ", " ").replace("  ", " ")


def test_an_error_that_never_ends_does_not_fill_the_screen() -> None:
    endless = replace(MIDWAY, hosts=(replace(TROUBLED, error="and so on " * 500),))
    assert len(pictured(endless, 80)) < 20


def test_a_wide_terminal_has_room_for_roles() -> None:
    assert "role" in pictured(CALM, 120)[3].split()
    assert "role" not in pictured(CALM, 80)[3].split()


def test_an_error_takes_the_place_of_what_is_waited_for() -> None:
    lines = pictured(replace(MIDWAY, error="no lease"), 80)
    assert lines[1].endswith("no lease")


WORKERS = PhaseTimes(phase=Phase.WORKERS, began=at(12))
WORKER = HostProgress(name="worker-0", role="worker", state="available", step="is free")
LED = HostProgress(name="control-plane-0", state="provisioned", step="is a node", joined=True)


def test_workers_have_rows_like_all_others() -> None:
    taken = replace(WORKER, state="provisioning", step="its agent is at work", claimed=True)
    spare = replace(WORKER, name="worker-1")
    waits = "rack1-worker-0: 0 of 1 machines ready"
    progress = Progress(phases=(WORKERS,), message=waits, hosts=(LED, taken, spare))
    lines = [line.split(maxsplit=3) for line in pictured(progress, 120)]
    assert lines[0][:2] == ["…", "workers"]
    assert lines[0][-1].endswith(waits)
    assert lines[2:6] == [
        ["host", "role", "state", "tries  step"],
        ["control-plane-0", "control-plane", "provisioned", "is a node"],
        ["worker-0", "worker", "provisioning", "its agent is at work"],
        ["worker-1", "worker", "available", "is free"],
    ]


def test_a_claim_is_told_by_its_step_alone() -> None:
    before = Progress(hosts=(LED, WORKER))
    led, taken = replace(LED, claimed=True), replace(WORKER, claimed=True)
    assert list(changes(before, replace(before, hosts=(led, WORKER)))) == []
    taken = replace(taken, step="is claimed by a Machine, and waits for its image")
    assert list(changes(before, replace(before, hosts=(LED, taken)))) == [
        ("host", "worker-0 available: is claimed by a Machine, and waits for its image")
    ]


def test_before_anything_is_known_nothing_is_shown() -> None:
    assert "".join(pictured(Progress(), 80)) == ""
