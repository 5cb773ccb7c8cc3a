"""Provider specs with mistakes: each is named with its place."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.machineapi.machines.judging import judge
from tests.unit.machineapi.objects import IMAGE, NAMESPACE, machine

GOOD: list[dict[str, Any]] = [
    {"image": IMAGE},
    {"image": {"url": "oci://registry/image@sha256:ab"}},
    {"image": {"url": "https://images/live.iso", "format": "live-iso"}},
    {"customDeploy": {"method": "install_coreos"}},
    {"image": IMAGE, "userData": {"name": "worker-user-data"}},
    {"image": IMAGE, "userData": {"name": "worker-user-data", "namespace": NAMESPACE}},
    {"image": {**IMAGE, "url": "http://[fd00::1]:6180/disk.img", "format": "qcow2"}},
]

BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "has neither image nor customDeploy"),
    ({"image": {**IMAGE, "url": ""}}, "image.url is missing"),
    ({"image": {**IMAGE, "url": "disk.img"}}, "image.url 'disk.img' begins with none of http://"),
    ({"image": {**IMAGE, "url": "file:///etc/passwd"}}, "image.url 'file:///etc/passwd' begins"),
    ({"image": {**IMAGE, "url": "http://"}}, "image.url 'http://' names no host"),
    ({"image": {**IMAGE, "url": "http://images/a b"}}, "has white space"),
    ({"image": {**IMAGE, "url": "http://[fd00::1/disk"}}, "is no URL"),
    ({"image": {**IMAGE, "url": "http://images:port/disk"}}, "is no URL"),
    ({"image": {"url": "http://images/disk.img"}}, "image.checksum is missing"),
    ({"image": {**IMAGE, "checksumType": "crc"}}, "image.checksumType 'crc' is none of md5"),
    ({"image": {**IMAGE, "format": "tar"}}, "image.format 'tar' is none of raw"),
    ({"customDeploy": {}}, "customDeploy.method is missing"),
    ({"image": IMAGE, "userData": {"namespace": NAMESPACE}}, "userData.name is missing"),
    (
        {"image": IMAGE, "userData": {"name": "one", "namespace": "other"}},
        "userData.namespace is other",
    ),
    (
        {"image": IMAGE, "hostSelector": {"matchExpressions": [{"key": "a", "operator": "gt"}]}},
        "hostSelector.matchExpressions[0].operator 'gt'",
    ),
]


@pytest.mark.parametrize("value", GOOD)
def test_a_good_spec_has_no_mistakes(value: dict[str, Any]) -> None:
    assert judge(machine(value=value).model.spec, namespace=NAMESPACE) == []


@pytest.mark.parametrize(("value", "told"), BAD)
def test_a_mistake_is_named_with_its_place(value: dict[str, Any], told: str) -> None:
    (only,) = judge(machine(value=value).model.spec, namespace=NAMESPACE)
    assert only.startswith("spec.providerSpec.value")
    assert told in only


def test_a_spec_that_is_missing_is_a_mistake() -> None:
    spec = machine(spec={"providerSpec": {}}).model.spec
    assert judge(spec, namespace=NAMESPACE) == [
        "spec.providerSpec.value is missing: it says what is written to the host"
    ]


def test_all_mistakes_are_told_at_once() -> None:
    value = {"image": {"url": "x", "format": "tar"}, "userData": {}}
    assert len(judge(machine(value=value).model.spec, namespace=NAMESPACE)) == 4
