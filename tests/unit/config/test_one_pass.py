"""All that is wrong with a file is told at once, and nothing twice."""

from __future__ import annotations

import pytest

from ingot.config.problem import Problem, Report, Severity
from tests.unit.config.configs import (
    API,
    HOST,
    INGRESS,
    METAL,
    SERVICE,
    changed,
    places_of,
    told,
)

TWELVE_MISTAKES: dict[str, object] = {
    "apiVersion": "v7",
    "metadata.name": "Rack One",
    "baseDomain": "example..com",
    "networking.networkType": "OVNKubernetes",
    f"{SERVICE}[0]": "172.30.0.1/16",
    "controlPlane.hyperthreading": "Maybe",
    f"{API}[0]": "203.0.113.5",
    f"{INGRESS}[0]": "192.0.2.300",
    f"{METAL}.provisioningDHCPRange": "172.22.0.99,172.22.0.11",
    f"{HOST}.bootMACAddress": "52:54:00:00:00",
    f"{METAL}.hosts[1].bmc": "198.51.100.11",
    f"{METAL}.hosts[2].bootMode": "secure",
}


def test_twelve_mistakes_are_twelve_errors() -> None:
    report = changed(TWELVE_MISTAKES).report()

    assert sorted(places_of(report.errors)) == sorted(
        [
            ("C1", "apiVersion"),
            ("G7", "metadata.name"),
            ("G8", "baseDomain"),
            ("N1", "networking.networkType"),
            ("N3", f"{SERVICE}[0]"),
            ("M2", "controlPlane.hyperthreading"),
            ("P3", f"{API}[0]"),
            ("P2", f"{INGRESS}[0]"),
            ("X11", f"{METAL}.provisioningDHCPRange"),
            ("X1", f"{HOST}.bootMACAddress"),
            ("F7", f"{METAL}.hosts[1].bmc"),
            ("B6", f"{METAL}.hosts[2].bootMode"),
        ]
    ), told(report)
    assert not report.warnings


def test_each_of_them_is_in_its_own_line() -> None:
    config = changed(TWELVE_MISTAKES)

    assert {one.field: one.line for one in config.report().errors} == {
        field: config.lines[field] for field in TWELVE_MISTAKES
    }


@pytest.mark.parametrize("left_out", TWELVE_MISTAKES)
def test_a_mistake_that_is_mended_takes_away_its_own_error_only(left_out: str) -> None:
    others = {field: value for field, value in TWELVE_MISTAKES.items() if field != left_out}

    assert {one.field for one in changed(others).report().errors} == set(others)


def test_problems_are_told_in_the_order_of_the_file() -> None:
    lines = [problem.line for problem in changed(TWELVE_MISTAKES).report().errors]

    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(
            {"apiVersion": "v1"},
            [("G8", "baseDomain"), ("G7", "metadata.name"), ("G10", METAL)],
            id="nearly nothing",
        ),
        pytest.param(
            {"apiVersion": "v1", "platform": {"baremetal": {}}},
            [
                ("G8", "baseDomain"),
                ("G7", "metadata.name"),
                ("P1", API),
                ("B3", f"{METAL}.hosts"),
                ("P1", INGRESS),
            ],
            id="an empty platform",
        ),
    ],
)
def test_what_is_missing_is_told_without_what_follows_from_it(
    data: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    report = changed(data, base={}).report()

    assert places_of(report.errors) == expected, told(report)


def test_a_report_is_valid_when_it_has_warnings_only() -> None:
    report = changed({"networking.networkType": "None"}).report()

    assert report.warnings
    assert report.valid


def test_a_problem_is_one_sentence_and_its_json_is_a_contract() -> None:
    problem = Problem("P1", API, 7, "it is missing", "add it", Severity.ERROR)

    assert problem.sentence == "it is missing; add it"
    assert problem.as_json() == {
        "rule": "P1",
        "field": API,
        "message": "it is missing; add it",
        "line": 7,
    }
    assert Report([problem]).errors == [problem]
