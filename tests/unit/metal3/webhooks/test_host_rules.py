"""Each row of metal3's table of refusals, once kept to and once broken."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ingot.metal3.webhooks.baremetalhost import JUDGE
from tests.unit.metal3.webhooks.objects import IMAGE, MAC, Json, bmc, host, in_state

INSPECT = "inspect.metal3.io"
DETAILS = "inspect.metal3.io/hardwaredetails"
STATUS = "baremetalhost.metal3.io/status"
REBOOT = "reboot.metal3.io"


def hardware_raid(**volume: Any) -> Json:  # noqa: ANN401 - any value is tried
    return {"raid": {"hardwareRAIDVolumes": [{"level": "1", **volume}]}}


def software_raid(*volumes: Json) -> Json:
    return {"raid": {"softwareRAIDVolumes": list(volumes)}}


def image(**fields: Any) -> Json:  # noqa: ANN401 - any value is tried
    return {"image": {**IMAGE, **fields}}


def cards(*entries: Json) -> Json:
    return {"networkInterfaces": list(entries)}


def moved(**status: object) -> dict[str, str]:
    return {STATUS: json.dumps({"operationalStatus": "OK", **status})}


UNSEEN = {"bootMACAddress": None}
LIBVIRT = bmc("libvirt://10.0.0.9:6230")
ROOT = {"level": "1", "rootVolume": True}
DISABLED = {"inspectionMode": "disabled"}
OCI = {"image": {"url": "oci://images/os@sha256:1"}}

# The row, the host, and the field that is refused.
REFUSED: list[tuple[int, Json, str]] = [
    (1, host(bmc("redfish://[10.0.0.9/x")), "spec.bmc.address"),
    (1, host(bmc("carrier-pigeon://10.0.0.9")), "spec.bmc.address"),
    (1, host(bmc("idrac://10.0.0.9")), "spec.bmc.address"),
    (1, host(bmc("redfish://not_a_name/x")), "spec.bmc.address"),
    (1, host(bmc("redfish://10.0.0.9/" + "x" * 3000)), "spec.bmc.address"),
    (2, host({"firmware": {"sriovEnabled": True}}), "spec.firmware"),
    (3, host({"userData": {"name": "a", "namespace": "b"}}), "spec.userData.namespace"),
    (3, host({"networkData": {"name": "a", "namespace": "b"}}), "spec.networkData.namespace"),
    (3, host({"metaData": {"name": "a", "namespace": "b"}}), "spec.metaData.namespace"),
    (
        4,
        host({"raid": {"hardwareRAIDVolumes": [{"level": "1"}], "softwareRAIDVolumes": [ROOT]}}),
        "spec.raid.hardwareRAIDVolumes",
    ),
    (
        5,
        host(hardware_raid(physicalDisks=["a", "b"])),
        "spec.raid.hardwareRAIDVolumes[0].controller",
    ),
    (
        6,
        host(hardware_raid(physicalDisks=["a", "b"], controller="c", numberOfPhysicalDisks=3)),
        "spec.raid.hardwareRAIDVolumes[0].numberOfPhysicalDisks",
    ),
    (7, host(software_raid(ROOT, ROOT)), "spec.raid.softwareRAIDVolumes[1].rootVolume"),
    (
        8,
        host({**software_raid(ROOT), "rootDeviceHints": {"deviceName": "/dev/sda"}}),
        "spec.rootDeviceHints",
    ),
    (
        9,
        host(software_raid({"level": "1"}, {"level": "0", "rootVolume": True})),
        "spec.raid.softwareRAIDVolumes[1].level",
    ),
    (10, host({**bmc("ipmi://10.0.0.9"), **hardware_raid()}), "spec.raid.hardwareRAIDVolumes"),
    (11, host({**LIBVIRT, **UNSEEN}), "spec.bootMACAddress"),
    (11, host({**DISABLED, **UNSEEN}), "spec.bootMACAddress"),
    (11, host(UNSEEN, annotations={INSPECT: "disabled"}), "spec.bootMACAddress"),
    (12, host({"bootMACAddress": "52:54:00:12:34"}), "spec.bootMACAddress"),
    (12, host({"bootMACAddress": "x52:54:00:12:34:56"}), "spec.bootMACAddress"),
    (12, host({"bootMACAddress": "52:54:00:12:34:56:78:9a"}), "spec.bootMACAddress"),
    (13, host({**bmc("10.0.0.9"), "bootMode": "UEFISecureBoot"}), "spec.bootMode"),
    (14, host(name="worker+0"), "metadata.name"),
    (14, host(name="7c9a1de6-0000-4000-8000-000000000001"), "metadata.name"),
    (14, host(name="w" * 253), "metadata.name"),
    *(
        (15, host({"rootDeviceHints": {"deviceName": name}}), "spec.rootDeviceHints.deviceName")
        for name in ("sda", "/dev/disk/by-id/x", "/dev/../etc", "/dev/", "/dev/..", "/dev/sda\n")
    ),
    *(
        (16, host(image(url=url)), "spec.image.url")
        for url in ("file:///os.raw", "s3://b/os", "os.raw", "http://", "", "http://[x/", "http://a/\t")
    ),
    (17, host(image(checksum="")), "spec.image.checksum"),
    (17, host(image(url="oci://images/os")), "spec.image.checksum"),
    (17, host(image(checksumType="crc32")), "spec.image.checksumType"),
    *(
        (18, host(annotations=said), f"metadata.annotations[{STATUS}]")
        for said in (
            moved(tomorrow="rain"),
            moved(operationalStatus="merry"),
            moved(errorType="no error"),
            {STATUS: "{"},
            {STATUS: "[]"},
        )
    ),
    *(
        (19, host(annotations={REBOOT: said}), f"metadata.annotations[{REBOOT}]")
        for said in ("hard", '{"mode": "fierce"}', '{"mode": ["hard"]}', '{"force": "yes"}', "[1]")
    ),
    (19, host(annotations={f"{REBOOT}/me": "{"}), f"metadata.annotations[{REBOOT}/me]"),
    (20, host(annotations={INSPECT: "now"}), f"metadata.annotations[{INSPECT}]"),
    (21, host(annotations={DETAILS: "{}"}), f"metadata.annotations[{DETAILS}]"),
    *(
        (21, host(DISABLED, annotations={DETAILS: said}), f"metadata.annotations[{DETAILS}]")
        for said in ('{"tail": 1}', "{", "", '{"ramMebibytes": "much"}', "[" * 5000)
    ),
    (
        22,
        host({"inspectionMode": "agent"}, annotations={INSPECT: "disabled"}),
        f"metadata.annotations[{INSPECT}]",
    ),
    (22, host(DISABLED, annotations={INSPECT: ""}), f"metadata.annotations[{INSPECT}]"),
    (23, host({**bmc("ipmi://10.0.0.9"), "inspectionMode": "fast"}), "spec.inspectionMode"),
    (24, host({"disablePowerOff": True, "online": False}), "spec.online"),
    (25, host(cards({})), "spec.networkInterfaces[0]"),
    (25, host(cards({"name": "a", "macAddress": MAC})), "spec.networkInterfaces[0]"),
    (25, host(cards({"name": "a"}, {"name": "a"})), "spec.networkInterfaces[1]"),
    (
        25,
        host(cards({"macAddress": "52:54:00:00:00:aa"}, {"macAddress": "52:54:00:00:00:AA"})),
        "spec.networkInterfaces[1]",
    ),
]  # fmt: skip

ACCEPTED: list[tuple[int, Json]] = [
    *(
        (1, host(bmc(address)))
        for address in (
            "10.0.0.9",
            "bmc.example.com:6230",
            "ipmi://[2001:db8::1]",
            "libvirt://10.0.0.9:6230",
            "redfish+http://10.0.0.9/s",
            "redfish-virtualmedia://10.0.0.9/s",
            "redfish-uefihttp://10.0.0.9/s",
            "ilo5-redfish://10.0.0.9/s",
            "ilo5-virtualmedia+https://10.0.0.9/s",
            "idrac-redfish://10.0.0.9/s",
            "idrac-virtualmedia://10.0.0.9/s",
        )
    ),
    (1, host({"bmc": None})),
    (3, host({"userData": {"name": "a", "namespace": "metal3"}, "metaData": {"name": "b"}})),
    (4, host({"raid": {"hardwareRAIDVolumes": [], "softwareRAIDVolumes": [ROOT]}})),
    (5, host(hardware_raid(physicalDisks=["a", "b"], controller="c"))),
    (6, host(hardware_raid(physicalDisks=["a"], controller="c", numberOfPhysicalDisks=1))),
    (6, host(hardware_raid(numberOfPhysicalDisks=4))),
    (7, host(software_raid(ROOT, {"level": "0"}))),
    (8, host({"rootDeviceHints": {"deviceName": "/dev/sda"}, **software_raid({"level": "1"})})),
    (10, host({**bmc("ipmi://10.0.0.9"), **software_raid(ROOT)})),
    (11, host(UNSEEN)),
    (11, host({"bmc": None, **UNSEEN, **DISABLED})),
    (12, host({"bootMACAddress": "52:54:00:AB:cd:EF"})),
    (13, host({"bootMode": "UEFISecureBoot"})),
    (14, host(name="rack-1.worker-0")),
    (15, host({"rootDeviceHints": {"deviceName": "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"}})),
    *((16, host(image(url=f"{way}://images/os"))) for way in ("http", "HTTPS", "ftp", "gopher")),
    (17, host({"image": {"url": "https://images/live.iso", "format": "live-iso"}})),
    (17, host(OCI)),
    (17, host({"image": {"url": "https://images/os", "checksum": "https://images/os.md5"}})),
    (18, host(annotations=moved(operationalStatus="servicing", errorType="servicing error"))),
    *(
        (19, host(annotations={REBOOT: said}))
        for said in ("", '{"mode": "hard", "force": true}', '{"mode": ""}', "{}", "null")
    ),
    (20, host(annotations={INSPECT: ""})),
    (21, host(DISABLED, annotations={DETAILS: '{"ramMebibytes": 1024}'})),
    (22, host(DISABLED, annotations={INSPECT: "disabled"})),
    (22, host({"inspectionMode": "fast"}, annotations={INSPECT: ""})),
    (23, host({"inspectionMode": "fast"})),
    (24, host({"disablePowerOff": True})),
    (25, host(cards({"name": "a"}, {"macAddress": "52:54:00:00:00:01"}))),
]  # fmt: skip

# The row, the host before, what changes in its spec, and the field that is refused.
CHANGES: list[tuple[int, Json, Json, str]] = [
    (26, in_state("available"), bmc("redfish://10.0.0.8/s"), "spec.bmc.address"),
    (26, in_state("provisioned"), {"bmc": None}, "spec.bmc.address"),
    (27, in_state("registering"), {"bootMACAddress": "52:54:00:12:34:57"}, "spec.bootMACAddress"),
    (27, in_state("registering"), {"bootMACAddress": None}, "spec.bootMACAddress"),
    (28, in_state("inspecting"), {"externallyProvisioned": True}, "spec.externallyProvisioned"),
]
ALLOWED_CHANGES: list[tuple[int, Json, Json]] = [
    (26, in_state("registering"), bmc("redfish://10.0.0.8/s")),
    (26, in_state("provisioned", "detached"), bmc("redfish://10.0.0.8/s")),
    (26, in_state("unmanaged", spec={"bmc": None}), bmc("redfish://10.0.0.8/s")),
    (27, in_state("available"), {"bootMACAddress": "52:54:00:12:34:56".upper()}),
    (27, in_state("available", spec=UNSEEN), {"bootMACAddress": "52:54:00:12:34:56"}),
    (28, in_state("available"), {"externallyProvisioned": True}),
    (28, in_state("provisioned", spec={"externallyProvisioned": True}), {"online": False}),
]


@pytest.mark.parametrize(("row", "new", "field"), REFUSED)
def test_a_host_that_breaks_a_rule_is_refused_by_its_field(row: int, new: Json, field: str) -> None:
    verdict = JUDGE.validate_create(new)
    assert [one.field for one in verdict.refusals] == [field], row
    assert all(one.remedy and len(one.sentence) < 1000 for one in verdict.refusals)


@pytest.mark.parametrize(("row", "new", "field"), REFUSED)
def test_a_good_host_cannot_become_one_that_breaks_a_rule(row: int, new: Json, field: str) -> None:
    old = host(name=new["metadata"]["name"]) if row != 14 else host()
    verdict = JUDGE.validate_update(in_state("registering") if row != 14 else old, new)
    assert field in [one.field for one in verdict.refusals]


@pytest.mark.parametrize(("row", "new"), ACCEPTED)
def test_a_host_that_keeps_to_a_rule_is_accepted(row: int, new: Json) -> None:
    assert JUDGE.validate_create(new).refusals == (), row


@pytest.mark.parametrize(("row", "old", "change", "field"), CHANGES)
def test_a_change_at_the_wrong_time_is_refused_by_its_field(
    row: int, old: Json, change: Json, field: str
) -> None:
    verdict = JUDGE.validate_update(old, changed(old, change))
    assert [one.field for one in verdict.refusals] == [field], row


@pytest.mark.parametrize(("row", "old", "change"), ALLOWED_CHANGES)
def test_a_change_at_the_right_time_is_accepted(row: int, old: Json, change: Json) -> None:
    assert JUDGE.validate_update(old, changed(old, change)).accepts, row


def changed(old: Json, change: Json) -> Json:
    spec = {key: value for key, value in (old["spec"] | change).items() if value is not None}
    return {**old, "spec": spec}


def test_every_row_is_named_by_a_rule_and_tried_both_ways() -> None:
    rules = [*JUDGE.rules, *JUDGE.change_rules]
    named = [
        int(found[1]) for one in rules if (found := re.match(r"Row (\d+):", one.__doc__ or ""))
    ]
    assert sorted(named) == list(range(1, 29))
    assert {row for row, *_ in [*REFUSED, *CHANGES]} == set(range(1, 29))
    untried = set(range(1, 29)) - {row for row, *_ in [*ACCEPTED, *ALLOWED_CHANGES]}
    assert untried == {2, 9}  # the plain host has no firmware, and row 7's root volume is level 1


def test_several_mistakes_are_told_at_once() -> None:
    verdict = JUDGE.validate_create(
        host({**image(checksum=""), "bootMACAddress": "x52:54:00:12:34:56"})
    )
    assert len(verdict.refusals) == 2


def test_a_password_in_an_address_is_not_repeated_and_its_place_is_named() -> None:
    (refusal,) = JUDGE.validate_create(host(bmc("redfish://root:calvin@10.0.0.9/s"))).refusals
    assert "calvin" not in refusal.sentence
    assert "credentialsName" in refusal.remedy


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (host({"hardwareProfile": "dell"}), "spec.hardwareProfile"),
        (host({"taints": [{"key": "a", "effect": "NoSchedule"}]}), "spec.taints"),
        (host(name="w" * 64), "metadata.name"),
        (host({"bootMACAddress": "01:00:5e:00:00:01"}), "spec.bootMACAddress"),
        (host(image(ociAuthSecretName="a")), "spec.image.ociAuthSecretName"),
        *(
            (
                host(annotations={"baremetalhost.metal3.io/detached": said}),
                "metadata.annotations[baremetalhost.metal3.io/detached]",
            )
            for said in ('{"deleteAction": "maybe"}', '{"force": 1}', "{force}")
        ),
    ],
)
def test_what_is_likely_a_mistake_is_told_and_accepted(new: Json, field: str) -> None:
    verdict = JUDGE.validate_create(new)
    assert verdict.accepts
    assert [one.field for one in verdict.warnings] == [field]


@pytest.mark.parametrize("said", ["", "by hand", '{"deleteAction": "delay", "force": true}'])
def test_a_host_is_detached_by_free_text_or_arguments_without_a_word(said: str) -> None:
    verdict = JUDGE.validate_create(host(annotations={"baremetalhost.metal3.io/detached": said}))
    assert verdict.accepts
    assert verdict.warnings == ()
