"""What holds for all tests: they may take as long as they need, and the longest begin first.

What a test measured on its way is shown when all have run, and judged by nobody: machines are
shared. Figures that have an aim are those of `make bench`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent

LONGEST_FIRST = (
    "e2e/test_operator_life.py",
    "integration/metal3/operator/test_crowd.py",
    "integration/metal3/operator/test_lost_ironic.py",
    "integration/metal3/operator/test_inputs.py",
    "integration/metal3/operator/test_two_operators.py",
    "e2e/test_operator_faults.py",
    "integration/test_node_image.py",
    "e2e/test_lab_boot.py",
    "e2e/test_uml_driver.py",
    "integration/test_payload_images.py",
    "e2e/test_lab_crowd.py",
    "e2e/test_ramdisk_inspection.py",
    "integration/ironic/test_trouble.py",
    "integration/test_ramdisk.py",
    "e2e/test_lab_commands.py",
    "e2e/test_ramdisk_boot.py",
    "integration/machine/firmware/test_ironic_scripts.py",
    "integration/test_wizard.py",
    "e2e/lifecycle/test_making.py",
    "e2e/lifecycle/test_running.py",
    "integration/ironic/test_bmc.py",
)
"""Files of a minute and more. Where several run at once, none of them is left for the end."""

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("ingot", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ingot")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "last(turn): runs after the others of its file, in turn")


@pytest.hookimpl(trylast=True)  # After they were shuffled.
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {HERE / name: rank for rank, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: (ranks.get(item.path, len(ranks)), item.path, _turn(item)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    figures = [
        f"{report.nodeid}: {name}: {value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
    ]
    if figures:
        terminalreporter.section("measured on the way")
        for line in figures:
            terminalreporter.write_line(line)


def _turn(item: pytest.Item) -> int:
    """Return its turn in its file: what takes away what the others share comes last."""
    marker = item.get_closest_marker("last")
    return marker.args[0] if marker else 0
