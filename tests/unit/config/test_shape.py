"""Names, and the kind of each value."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ingot.config.loading import load
from ingot.config.model import InstallConfig
from ingot.config.model.section import Section
from ingot.config.problem import Severity
from ingot.config.registry import RULES
from ingot.config.shape import Fields, Items, Kind, fields_of
from tests.unit.config.configs import (
    ABSENT,
    API,
    HOST,
    METAL,
    Case,
    Plain,
    accepted,
    changed,
    places_of,
    refused,
    table,
    told,
    warned,
)

PASSWORD, MAC = f"{HOST}.bmc.password", f"{HOST}.bootMACAddress"

CASES = table(
    # rule F5: names
    accepted("F5", "known names"),
    refused(
        "F5",
        "baseDomian",
        "a typo at the top",
        {"baseDomian": "x"},
        says="did you mean baseDomain?",
    ),
    refused(
        "F5", f"{METAL}.apiVips6", "a typo below", {f"{METAL}.apiVips6": []}, says=f"in {METAL}"
    ),
    refused(
        "F5",
        f"{HOST}.bmc.user",
        "a short form",
        {f"{HOST}.bmc.user": "x"},
        says="did you mean username?",
    ),
    refused(
        "F5",
        "zzz",
        "a name that is near to none",
        {"zzz": 1},
        says="known here: additionalTrustBundle,",
    ),
    refused(
        "F5", f"{METAL}.boot_mac_address", "the code's own name", {f"{METAL}.boot_mac_address": 1}
    ),
    refused(
        "F5",
        "controlPlane.platform.baremetal.x",
        "any field where there is none",
        {"controlPlane.platform": {"baremetal": {"x": 1}}},
        says="none is known here",
    ),
    refused("F5", "platform.vmware", "an unknown platform", {"platform.vmware": {}}),
    # rule F8: long lists
    accepted("F8", "a list of 2,000", {f"{METAL}.additionalNTPServers": ["ntp.example"] * 2000}),
    refused(
        "F8",
        f"{METAL}.additionalNTPServers",
        "a longer list",
        {f"{METAL}.additionalNTPServers": ["ntp.example"] * 2001},
        says="has 2,001 entries",
    ),
    # rule F6: letter case
    accepted("F6", "names in their own letter case"),
    warned(
        "F6",
        f"{HOST}.bootMacAddress",
        "a MAC",
        {MAC: ABSENT, f"{HOST}.bootMacAddress": "52:54:00:00:00:10"},
        says="bootMacAddress is read as bootMACAddress",
    ),
    warned("F6", "SSHKEY", "upper case", {"SSHKEY": ""}),
    # rule F7: kinds
    accepted("F7", "the right kinds"),
    accepted(
        "F7", "flags of YAML 1.1", {f"{HOST}.bmc.disableCertificateVerification": Plain("yes")}
    ),
    accepted(
        "F7",
        "null for anything",
        {"proxy": None, f"{METAL}.additionalNTPServers": None, "sshKey": None},
    ),
    accepted("F7", "empty text for text", {"sshKey": "", f"{HOST}.hardwareProfile": ""}),
    refused(
        "F7",
        "metadata",
        "text for a mapping",
        {"metadata": "rack1"},
        says="metadata is a single value, not a mapping",
    ),
    refused(
        "F7",
        "networking",
        "a list for a mapping",
        {"networking": [1]},
        says="a list, not a mapping",
    ),
    refused(
        "F7",
        f"{METAL}.hosts",
        "a mapping for a list",
        {f"{METAL}.hosts": {"name": "a"}},
        says="not a list",
    ),
    refused("F7", API, "text for a list", {API: "192.0.2.5"}, says="a single value, not a list"),
    refused(
        "F7",
        "baseDomain",
        "a list for text",
        {"baseDomain": ["example.com"]},
        says="a list, not text",
    ),
    refused(
        "F7", "sshKey", "a mapping for text", {"sshKey": {"key": "x"}}, says="a mapping, not text"
    ),
    refused("F7", f"{API}[0]", "nothing in a list", {API: [None]}, says="empty, not text"),
    refused("F7", f"{API}[0]", "empty text in a list", {API: [""]}, says="empty, not text"),
    refused(
        "F7",
        "compute[0].replicas",
        "a number in quotes",
        {"compute[0].replicas": "1"},
        says="without quotes",
    ),
    refused(
        "F7",
        "compute[0].replicas",
        "a number in words",
        {"compute[0].replicas": Plain("one")},
        says="'one', not a whole number",
    ),
    refused(
        "F7",
        "compute[0].replicas",
        "a fraction",
        {"compute[0].replicas": Plain("1.0")},
        says="'1.0'",
    ),
    refused("F7", "compute[0].replicas", "an octal number", {"compute[0].replicas": Plain("01")}),
    refused(
        "F7",
        "compute[0].replicas",
        "no number in quotes",
        {"compute[0].replicas": ""},
        says="empty",
    ),
    refused(
        "F7",
        f"{HOST}.bmc.disableCertificateVerification",
        "a flag in quotes",
        {f"{HOST}.bmc.disableCertificateVerification": "true"},
        says="without quotes",
    ),
    refused(
        "F7",
        f"{HOST}.bmc.disableCertificateVerification",
        "a number for a flag",
        {f"{HOST}.bmc.disableCertificateVerification": 1},
        says="'1', not true or false",
    ),
    refused(
        "F7",
        "pullSecret",
        "JSON without quotes",
        {"pullSecret": Plain('{"auths": {"quay.io": {"auth": "dTpw"}}}')},
        says="in single quotes",
    ),
    refused("F7", PASSWORD, "an empty mapping", {PASSWORD: {}}, says="{env: NAME}"),
    refused("F7", PASSWORD, "a mapping that is too deep", {PASSWORD: {"env": ["A"], "file": "/b"}}),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shape_rules(case: Case) -> None:
    case.check()


def test_both_spellings_of_a_field_are_an_error_at_the_second() -> None:
    report = changed({"BaseDomain": "example.org"}).report()

    assert places_of(report.problems) == [("F5", "BaseDomain")]
    assert "keep only baseDomain" in report.problems[0].remedy


def test_two_wrong_spellings_of_a_field_are_a_warning_and_an_error() -> None:
    report = changed({"SSHKEY": "", "sshkey": ""}).report()

    assert places_of(report.problems) == [("F6", "SSHKEY"), ("F5", "sshkey")]


def test_problems_below_a_name_in_another_letter_case_are_in_its_line() -> None:
    config = changed({"PROXY": {"HTTPPROXY": "x"}})
    (error,) = config.report().errors

    assert (error.rule, error.field) == ("G13", "proxy.httpProxy")
    assert error.line == config.lines["PROXY.HTTPPROXY"]


@pytest.mark.parametrize(
    "written",
    [
        "010203",
        "1e3",
        "0x1F",
        "yes",
        "off",
        "True",
        "1_000",
        "12:30:45",
        "2026-01-01",
        ".inf",
        "nullx",
        "0",
    ],
)
def test_what_looks_like_something_else_is_still_a_password(written: str) -> None:
    loaded = changed({PASSWORD: Plain(written)}).load()
    assert loaded.config is not None
    secret = loaded.config.baremetal.hosts[0].bmc.password

    assert loaded.report.problems == []
    assert secret is not None
    assert secret.reveal() == written


@pytest.mark.parametrize("written", ["null", "~", "NULL", '""', "''", ""])
def test_null_and_empty_are_the_same_as_absent(written: str) -> None:
    report = changed({PASSWORD: Plain(written)}).report()

    assert places_of(report.problems) == [("R14", PASSWORD)]


def test_null_in_quotes_is_text() -> None:
    assert changed({PASSWORD: "null"}).report().problems == []


def test_a_mac_address_of_digits_alone_needs_no_quotes() -> None:
    loaded = changed({MAC: Plain("52:54:00:12:34:56")}).load()
    assert loaded.config is not None

    assert loaded.report.problems == []
    assert loaded.config.baremetal.hosts[0].boot_mac_address == "52:54:00:12:34:56"


def test_a_name_that_swallowed_its_value_is_not_shown_whole() -> None:
    report = changed(
        {f"{HOST}.bmc": Plain("{address: 198.51.100.9, username: a, password:hunter2}")}
    ).report()
    (unknown,) = [problem for problem in report.errors if problem.rule == "F5"]

    assert unknown.field == PASSWORD
    assert "space after" in unknown.remedy
    assert "hunter2" not in told(report)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3", 3),
        ("-3", -3),
        ("1.5", 1.5),
        ("1.5e3", 1500.0),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("'3'", "3"),
        ("010", "010"),
        ("52:54:00:12:34:56", "52:54:00:12:34:56"),
        ("null", None),
        ("'null'", "null"),
        ("[1, {b: ~}]", [1, {"b": None}]),
    ],
)
def test_values_that_no_model_knows_are_read_as_yaml_reads_them(
    written: str, expected: object
) -> None:
    config = changed({f"{HOST}.networkConfig": {"variables": Plain(written)}}).load().config
    assert config is not None

    assert config.baremetal.hosts[0].network_config == {"variables": expected}


# ---------------------------------------------------------------- any kind at any field


def every_field(
    section: type[Section] = InstallConfig, path: str = ""
) -> Iterator[tuple[str, Kind]]:
    for name, kind in fields_of(section).items():
        yield from _with_parts(f"{path}.{name}" if path else name, kind)


def _with_parts(path: str, kind: Kind) -> Iterator[tuple[str, Kind]]:
    yield path, kind
    if isinstance(kind, Items):
        yield from _with_parts(f"{path}[0]", kind.each)
    elif isinstance(kind, Fields):
        yield from every_field(kind.section, path)


VALUES: dict[str, object] = {
    "mapping": {"a": {"b": 1}},
    "empty mapping": {},
    "list": ["a", {"b": 1}, None, []],
    "empty list": [],
    "text": "text",
    "number": Plain("7"),
    "flag": Plain("true"),
    "null": None,
}
FIELDS = [path for path, _ in every_field()]


def test_every_part_of_the_config_is_among_the_fields() -> None:
    assert len(FIELDS) == len(set(FIELDS))
    assert {API, f"{API}[0]", PASSWORD, "networking.machineNetwork[0].cidr"} <= set(FIELDS)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("path", FIELDS)
def test_any_kind_of_value_at_any_field_gives_a_report(path: str, value: str) -> None:
    config = changed({path: VALUES[value]})
    report = load(config.data).report

    for problem in report.problems:
        assert problem.rule in RULES
        assert 1 <= problem.line <= config.data.count(b"\n")
        assert problem.message
        assert problem.severity in Severity


SECTIONS = [path for path, kind in every_field() if isinstance(kind, Fields | Items)]


@pytest.mark.parametrize("path", SECTIONS)
def test_a_section_of_the_wrong_kind_is_one_error_at_it(path: str) -> None:
    report = changed({path: Plain("7")}).report()

    assert ("F7", path) in places_of(report.errors)
    assert not [
        problem for problem in report.errors if problem.field.startswith((f"{path}.", f"{path}["))
    ]
