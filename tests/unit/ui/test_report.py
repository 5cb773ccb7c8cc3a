"""The report of an install, as people read it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from ingot.installer.report import HostReport, PhaseReport, Report
from ingot.ui.report import print_report

START = datetime(2026, 1, 1, tzinfo=UTC)
REPORT = Report(
    cluster="lab.example.com",
    api="https://192.0.2.5:6443",
    names=("api.lab.example.com", "api-int.lab.example.com"),
    kubeconfig=Path("/home/user/a rather long folder for an install/my first cluster/kubeconfig"),
    began=START,
    seconds=432,
    runs=1,
    phases=(PhaseReport("assets", START, 2), PhaseReport("hosts", START, 75)),
    hosts=(
        HostReport("cp-0", "control-plane", "provisioned", {"inspect": 62.0, "provision": 189.0}),
        HostReport("cp-1", "control-plane", "provisioned", {}),
        HostReport("w-0", "worker", "provisioned", {"inspect": 3.0, "provision": 61.0}),
        HostReport("w-1", "worker", "available", {"inspect": 4.0}),
    ),
    overcome=(),
    apps="*.apps.lab.example.com",
    ingress_vip="192.0.2.6",
)


def page(report: Report, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        print_report(report, console)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_it_says_what_was_built_and_how_long_it_took() -> None:
    lines = page(REPORT)
    assert lines[0] == "✓ the cluster lab.example.com is there, built in 7 min 12 s"
    assert [line.split(maxsplit=1) for line in lines[2:5]] == [
        ["phase", "took"],
        ["assets", "2 s"],
        ["hosts", "1 min 15 s"],
    ]


def test_each_server_has_a_line_and_only_what_was_done_a_column() -> None:
    lines = page(REPORT)
    heading = next(line for line in lines if line.startswith("host "))
    assert heading.split() == ["host", "role", "state", "inspect", "provision"]
    server = next(line for line in lines if line.startswith("cp-0"))
    assert server.endswith("1 min 2 s  3 min 9 s")
    rows = [line.split()[:3] for line in lines if line.startswith("w-")]
    assert rows == [["w-0", "worker", "provisioned"], ["w-1", "worker", "available"]]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_commands_for_a_shell_are_never_broken(width: int) -> None:
    lines = [line.strip() for line in page(REPORT, width)]
    assert f"export KUBECONFIG='{REPORT.kubeconfig}'" in lines
    assert "kubectl get nodes -o wide" in lines
    assert "kubectl -n metal3 get baremetalhosts" in lines


def test_the_node_that_the_vip_is_on_is_told_where_it_is_known() -> None:
    assert not any("its VIP is on" in line for line in page(REPORT))
    lines = page(replace(REPORT, vip_holder="cp-1"))
    assert "  its VIP is on cp-1; it moves when that node fails" in lines


def test_where_applications_are_reached_is_told() -> None:
    told = "  applications are at *.apps.lab.example.com: have your DNS lead it to 192.0.2.6"
    assert told in page(REPORT, 120)


def test_what_was_overcome_is_told_as_it_was_said() -> None:
    assert not any("overcome" in line for line in page(REPORT))
    troubled = replace(REPORT, overcome=("cp-1: [Errno 5] no DHCP request",), runs=2)
    lines = page(troubled)
    assert lines[0].endswith(", in 2 runs")
    assert " • cp-1: [Errno 5] no DHCP request" in lines
