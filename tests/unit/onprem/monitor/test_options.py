"""What the monitor is told by its file, and what it cannot be told."""

from __future__ import annotations

import json
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest

from ingot.onprem.model import Peer, Role
from ingot.onprem.monitor.options import VARIABLE, Options, OptionsError, parse, read
from ingot.onprem.problem import DuplicatePeerError, NameTooLongError


def said(**changes: object) -> dict[str, Any]:
    return {
        "cluster": {
            "name": "ostest",
            "domain": "ostest.example.com",
            "apiVIPs": ["10.9.0.100"],
            "ingressVIPs": ["10.9.0.101"],
        },
        "node": {"name": "master-0", "role": "control-plane"},
        "planned": [
            {"name": "master-0", "role": "control-plane", "addresses": ["10.9.0.11"]},
        ],
        **changes,
    }


def parsed(**changes: object) -> Options:
    return parse(json.dumps(said(**changes)), source="file")


def test_the_least_that_has_to_be_said_is_enough() -> None:
    options = parsed()
    assert options.cluster.api_vips == (ip_address("10.9.0.100"),)
    assert options.role is Role.CONTROL_PLANE
    assert options.planned == (Peer("master-0", Role.CONTROL_PLANE, (ip_address("10.9.0.11"),)),)
    assert options.kubeconfig is None
    assert options.resolv_conf == Path("/etc/resolv.conf")
    assert options.program("haproxy") == Path("haproxy")


def test_everything_can_be_said() -> None:
    options = parsed(
        kubeconfig="/k",
        apiServers=["https://10.9.0.11:6443"],
        folders={"run": "/r", "state": "/s"},
        programs={"coredns": "/opt/coredns"},
        resolver={"path": "", "given": ["/g"]},
        defaultRouter="/pods/*_default-*",
        doneFile="/done",
        metricsPort=0,
        logLevel="debug",
    )
    assert (options.kubeconfig, options.api_servers) == (Path("/k"), ("https://10.9.0.11:6443",))
    assert (options.folders.run, options.folders.state) == (Path("/r"), Path("/s"))
    assert options.program("coredns") == Path("/opt/coredns")
    assert (options.resolv_conf, options.given) == (None, (Path("/g"),))
    assert options.done_file == Path("/done")
    assert (options.metrics_port, options.log_level) == (0, "debug")


def test_yaml_will_do() -> None:
    text = """\
cluster:
  name: ostest
  domain: ostest.example.com
  apiVIPs: [fd09::5]
  ingressVIPs: [fd09::4]
  dnsClients: [10.128.0.0/14]
node: {name: worker-0, role: worker}
planned: []
"""
    options = parse(text, source="file")
    assert options.role is Role.WORKER
    assert options.cluster.dns_clients == (ip_network("10.128.0.0/14"),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"node": {"name": "a"}}, "role is missing"),
        ({"node": {"name": "a", "role": "king"}}, "'king' is not a valid Role"),
        ({"planned": [{"name": "a", "role": "worker", "addresses": ["10.9.0"]}]}, "10.9.0"),
        ({"cluster": {"name": "ostest"}}, "domain is missing"),
        ({"folders": []}, "has no attribute"),
    ],
)
def test_what_cannot_be_used_is_said(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionsError, match=words):
        parsed(**changes)


def test_text_that_is_nothing_is_said() -> None:
    with pytest.raises(OptionsError, match="not a mapping"):
        parse("[]", source="file")
    with pytest.raises(OptionsError, match="neither JSON nor YAML"):
        parse("{a: [", source="file")


def test_two_planned_nodes_with_one_address_are_refused() -> None:
    twice = [
        {"name": name, "role": "worker", "addresses": ["10.9.0.21"]} for name in ("one", "two")
    ]
    with pytest.raises(DuplicatePeerError, match=r"10\.9\.0\.21 belongs to more than one node"):
        parsed(planned=twice)


def test_a_name_that_dns_cannot_have_is_refused() -> None:
    with pytest.raises(NameTooLongError, match="63 are allowed"):
        parsed(planned=[{"name": "a" * 64, "role": "worker", "addresses": []}])


def test_the_environment_has_to_name_a_file_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="has to name the file"):
        read({})
    with pytest.raises(OptionsError, match="No such file"):
        read({VARIABLE: str(tmp_path / "none")})


def test_who_was_planned_with_another_address_was_not_planned() -> None:
    options = parsed()
    assert options.is_planned((ip_address("10.9.0.11"),))
    assert not options.is_planned((ip_address("10.9.0.12"),))
