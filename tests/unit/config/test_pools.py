"""How many machines of which kind, and whether the hosts suffice."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    ABSENT,
    HOST,
    METAL,
    Case,
    accepted,
    bmc_host,
    changed,
    places_of,
    refused,
    rules_of,
    table,
    warned,
)

HOSTS = f"{METAL}.hosts"
MASTERS, WORKERS = "controlPlane.replicas", "compute[0].replicas"
NO_ROLES = {f"{HOSTS}[{number}].role": "" for number in range(4)}

CASES = table(
    # rule M1: the control plane
    accepted("M1", "a pool called master"),
    accepted("M1", "a pool without a name", {"controlPlane": {"replicas": 3}}),
    accepted("M1", "no pool", {"controlPlane": None}),
    warned("M1", "controlPlane.name", "another name", {"controlPlane.name": "main"}, says="'main'"),
    refused("M1", MASTERS, "0 replicas", {MASTERS: 0}, says="0 replicas"),
    refused("M1", MASTERS, "negative replicas", {MASTERS: -3}, says="-3 replicas"),
    refused("M1", WORKERS, "negative compute replicas", {WORKERS: -1}),
    # rule M2: words
    accepted("M2", "hyperthreading", {"controlPlane.hyperthreading": "Disabled"}),
    accepted("M2", "an architecture", {"controlPlane.architecture": "amd64"}),
    refused(
        "M2",
        "controlPlane.hyperthreading",
        "another word",
        {"controlPlane.hyperthreading": "Off"},
        says="'Off' is none of Disabled, Enabled",
    ),
    refused(
        "M2",
        "compute[0].architecture",
        "x86_64",
        {"compute[0].architecture": "x86_64"},
        says="amd64",
    ),
    # rule M3: compute pools
    accepted("M3", "a pool called worker"),
    accepted("M3", "a pool of none", {WORKERS: 0}),
    refused("M3", "compute[0].name", "another name", {"compute[0].name": "edge"}, says="'edge'"),
    refused("M3", "compute[0].name", "no name", {"compute[0].name": ABSENT}, says="without a name"),
    refused(
        "M3", "compute[1].name", "a name twice", {"compute[1]": {"name": "worker", "replicas": 0}}
    ),
    # rule M4: architectures
    accepted("M4", "one architecture"),
    accepted("M4", "arm64 workers", {"compute[0].architecture": "arm64"}),
    accepted(
        "M4",
        "arm64 throughout",
        {"controlPlane.architecture": "arm64", "compute[0].architecture": "arm64"},
    ),
    accepted("M4", "no workers", {"controlPlane.architecture": "arm64", WORKERS: 0}),
    refused(
        "M4",
        "compute[0].architecture",
        "amd64 workers of an arm64 control plane",
        {"controlPlane.architecture": "arm64"},
        says="compute of amd64 does not go with a control plane of arm64",
    ),
    refused("M4", "compute[0].architecture", "s390x workers", {"compute[0].architecture": "s390x"}),
    # rule M8: who manages machines
    accepted("M8", "MachineAPI", {"controlPlane.management": "MachineAPI"}),
    refused(
        "M8", "controlPlane.management", "ClusterAPI", {"controlPlane.management": "ClusterAPI"}
    ),
    refused(
        "M8", "compute[0].management", "another word", {"compute[0].management": "Me"}, says="'Me'"
    ),
    # rule M15: other platforms' options
    accepted("M15", "empty options", {"controlPlane.platform": {"baremetal": {}}}),
    refused(
        "M15",
        "compute[0].platform.aws",
        "options of aws",
        {"compute[0].platform": {"aws": {"type": "m5.large"}}},
        says="platform aws",
    ),
    refused("M15", "controlPlane.platform.none", "none", {"controlPlane.platform": {"none": {}}}),
    # rule G10: the platform
    accepted("G10", "baremetal"),
    accepted("G10", "another platform that is null", {"platform.aws": None}),
    refused("G10", METAL, "no platform", {"platform": ABSENT}, says="not given"),
    refused("G10", METAL, "an empty platform", {"platform": {}}),
    refused(
        "G10", "platform.aws", "a second platform", {"platform.aws": {"region": "x"}}, says="aws"
    ),
    refused("G10", ("platform.none", METAL), "another platform", {"platform": {"none": {}}}),
    # rule B3: hosts
    accepted("B3", "hosts"),
    refused("B3", HOSTS, "no hosts", {HOSTS: ABSENT}, says="no hosts are listed"),
    refused("B3", HOSTS, "an empty list", {HOSTS: []}),
    # rule B4: enough hosts
    accepted("B4", "as many as are asked for"),
    accepted("B4", "more than are asked for", {WORKERS: 0, MASTERS: 1}),
    refused(
        "B4",
        HOSTS,
        "too few masters",
        {MASTERS: 5},
        says="control plane asks for 5, and 3 of the hosts can be master",
    ),
    refused("B4", HOSTS, "too few workers", {WORKERS: 3}, says="add 2 more with role worker"),
    refused(
        "B4", HOSTS, "no compute pool, which asks for 3", {"compute": ABSENT}, says="asks for 3"
    ),
    refused("B4", (HOSTS, HOSTS), "too few of both", {MASTERS: 5, WORKERS: 2}),
    warned("B4", HOSTS, "hosts without a role that fill gaps", NO_ROLES, says="(4)"),
    warned("B4", HOSTS, "a host without a role that is a worker", {f"{HOSTS}[3].role": ABSENT}),
    accepted(
        "B4", "a host without a role that nobody needs", {f"{HOSTS}[3].role": ABSENT, WORKERS: 0}
    ),
    accepted(
        "B4",
        "a host without a role before the masters",
        {
            HOSTS: [
                bmc_host("spare", "", 30),
                *(bmc_host(f"cp-{n}", "master", 10 + n) for n in range(3)),
            ]
        },
        {WORKERS: 0},
    ),
    # rule U3: an odd control plane
    accepted("U3", "3 replicas"),
    warned("U3", MASTERS, "1 replica", {MASTERS: 1}, says="not highly available"),
    refused("U3", MASTERS, "2 replicas", {MASTERS: 2}, says="write 3 or 1"),
    refused(
        "U3",
        MASTERS,
        "4 replicas",
        {MASTERS: 4, f"{HOSTS}[3].role": "master", WORKERS: 0},
        says="no more failures than one of 3",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pool_rules(case: Case) -> None:
    case.check()


def test_a_host_without_a_role_is_counted_for_one_gap_only() -> None:
    report = changed({MASTERS: 5, f"{HOSTS}[3].role": ABSENT}).report()

    assert rules_of(report.warnings) == ["B4"]
    assert [problem.message for problem in report.errors] == [
        "control plane asks for 5, and 4 of the hosts can be master",
        "compute asks for 1, and 0 of the hosts can be worker",
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({HOST: "cp-0"}, [("F7", HOST)], id="a host that is text"),
        pytest.param({f"{HOST}.role": "boss"}, [("X2", f"{HOST}.role")], id="an unknown role"),
        pytest.param({MASTERS: "three"}, [("F7", MASTERS)], id="replicas in words"),
        pytest.param({"compute": "worker"}, [("F7", "compute")], id="compute that is text"),
        pytest.param({"compute[0]": 3}, [("F7", "compute[0]")], id="a pool that is a number"),
        pytest.param({"compute[0].name": "w"}, [("M3", "compute[0].name")], id="a pool's name"),
        pytest.param({METAL: []}, [("F7", METAL)], id="a platform that is a list"),
        pytest.param({HOSTS: {}}, [("F7", HOSTS)], id="hosts that are a mapping"),
    ],
)
def test_hosts_are_not_counted_where_something_is_unreadable(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert places_of(changed(changes).report().errors) == expected
