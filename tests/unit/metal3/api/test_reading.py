from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from ingot.kube.crd.definition import Definition
from ingot.metal3.api.baremetalhost import AutomatedCleaningMode, BareMetalHost, HostSpec
from ingot.metal3.api.dataimage import DataImage
from ingot.metal3.api.firmwareschema import FirmwareSchema, SettingSchema
from ingot.metal3.api.hardware import HardwareDetails
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.api.hoststatus import HostStatus, OperationTimes
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.reading import UnreadableObject, read, read_text, written
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.states import ProvisioningState
from tests.unit.metal3.api.hosts import raw_host


def test_a_host_is_read_and_written_without_loss() -> None:
    raw = raw_host("rack-1")
    assert written(read(BareMetalHost, raw)) == raw


def test_unknown_fields_of_a_stored_object_are_passed_over() -> None:
    raw = raw_host("rack-1")
    raw["spec"]["fromTheFuture"] = {"a": 1}
    assert read(BareMetalHost, raw) == read(BareMetalHost, raw_host("rack-1"))


def test_python_names_are_no_names_on_the_wire() -> None:
    raw = raw_host("rack-1")
    raw["spec"]["disable_power_off"] = True
    assert not read(BareMetalHost, raw).spec.disable_power_off


def test_a_host_without_spec_and_status_is_off_and_new() -> None:
    host = read(BareMetalHost, {"metadata": {"name": "bare"}})
    assert host.spec == HostSpec(online=False)
    assert host.status == HostStatus()
    assert host.status.provisioning.state is ProvisioningState.NONE


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_every_kind_can_be_made_from_its_name_alone(definition: Definition) -> None:
    model = definition.model
    made = model(metadata=Metadata(name="one"))
    data = written(made)
    assert data["kind"] == model.__name__
    assert data["apiVersion"] == "metal3.io/v1alpha1"
    assert "status" not in data
    assert read(model, data) == made


def test_a_new_status_says_all_that_the_server_insists_on() -> None:
    assert written(HostStatus()) == {
        "operationalStatus": "",
        "provisioning": {"state": "", "ID": ""},
        "errorMessage": "",
        "poweredOn": False,
        "errorCount": 0,
        "provisioningFailCount": 0,
    }


def test_said_to_be_false_differs_from_not_said() -> None:
    assert written(RootDeviceHints(rotational=False)) == {"rotational": False}
    assert written(RootDeviceHints()) == {}


def test_no_volumes_differs_from_no_word_about_volumes() -> None:
    assert written(RAID(hardware_raid_volumes=())) == {"hardwareRAIDVolumes": []}
    assert read(RAID, {"hardwareRAIDVolumes": None}) == RAID()


def test_settings_are_numbers_or_texts_as_given() -> None:
    raw = {"metadata": {"name": "one"}, "spec": {"settings": {"Cores": 4, "Mode": "4"}}}
    settings = read(HostFirmwareSettings, raw).spec.settings
    assert settings == {"Cores": 4, "Mode": "4"}


def test_a_settings_schema_has_the_names_that_ironic_gives() -> None:
    raw = {
        "metadata": {"name": "schema-1"},
        "spec": {"schema": {"Cores": {"attribute_type": "Integer", "lower_bound": 0}}},
    }
    schema = read(FirmwareSchema, raw)
    assert schema.spec.schema["Cores"].lower_bound == 0
    assert written(SettingSchema(read_only=False)) == {"read_only": False}
    assert written(schema)["spec"] == raw["spec"]


def test_times_are_whole_seconds_as_the_api_keeps_them() -> None:
    moment = datetime(2026, 3, 1, 12, 30, 15, 999, tzinfo=UTC)
    times = OperationTimes(start=moment)
    assert written(times) == {"start": "2026-03-01T12:30:15Z"}
    assert read(OperationTimes, written(times)) == times


def test_a_part_cannot_be_changed() -> None:
    spec = HostSpec(online=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.online = False  # type: ignore[misc]


def test_the_next_part_is_made_by_replacing_and_is_checked() -> None:
    spec = read(BareMetalHost, raw_host("rack-1")).spec
    off = dataclasses.replace(spec, online=False)
    assert (off.online, off.bmc) == (False, spec.bmc)
    with pytest.raises(ValueError, match="boot_mac_address"):
        dataclasses.replace(spec, boot_mac_address="no MAC")


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda one: one.kind)
def test_a_part_left_at_its_defaults_can_be_replaced(definition: Definition) -> None:
    made = definition.model(metadata=Metadata(name="one"))
    assert dataclasses.replace(made, spec=dataclasses.replace(made.spec)) == made


def test_the_spec_is_cleaned_by_default() -> None:
    assert HostSpec(online=True).automated_cleaning_mode is AutomatedCleaningMode.METADATA


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        ({}, "spec.online", "required"),
        ({"online": True, "bootMode": "bios"}, "spec.bootMode", "UEFISecureBoot"),
        ({"online": True, "bmc": {"address": "a"}}, "spec.bmc.credentialsName", "required"),
        ({"online": True, "raid": {"hardwareRAIDVolumes": [{"level": "7"}]}},
         "spec.raid.hardwareRAIDVolumes[0].level", "6+0"),
    ],
)  # fmt: skip
def test_an_object_that_does_not_fit_is_refused_by_field(
    spec: dict[str, object], field: str, words: str
) -> None:
    raw = {"metadata": {"name": "rack-1", "namespace": "metal3"}, "spec": spec}
    with pytest.raises(UnreadableObject, match="BareMetalHost metal3/rack-1") as caught:
        read(BareMetalHost, raw)
    assert words in caught.value.fields[field]
    assert field in caught.value.what
    assert caught.value.remedy


def test_a_refusal_without_a_namespace_still_names_the_object() -> None:
    with pytest.raises(UnreadableObject, match="DataImage cd cannot"):
        read(DataImage, {"metadata": {"name": "cd"}, "spec": {}})


def test_a_refusal_names_a_few_mistakes_and_counts_the_rest() -> None:
    nics = [{"mac": "x"}] * 9
    with pytest.raises(UnreadableObject, match=r"and 6 more$") as caught:
        read(HardwareDetails, {"nics": nics})
    assert len(caught.value.fields) == 9


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("{", "the whole", "JSON"),
        ("[]", "the whole", "object"),
        ('{"ramMebibyte": 1}', "ramMebibyte", "no such field"),
        ('{"cpu": {"speed": 1}}', "cpu.speed", "no such field"),
        ('{"ram_mebibytes": 1}', "ram_mebibytes", "no such field"),
        ('{"nics": [{"mac": "x"}]}', "nics[0].mac", "pattern"),
    ],
)
def test_text_of_a_person_is_read_strictly(text: str, field: str, words: str) -> None:
    with pytest.raises(UnreadableObject) as caught:
        read_text(HardwareDetails, text)
    assert words in caught.value.fields[field]


def test_good_text_of_a_person_is_read() -> None:
    details = read_text(HardwareDetails, '{"cpu": {"arch": "x86_64"}, "hostname": "a"}')
    assert written(details) == {"cpu": {"arch": "x86_64"}, "hostname": "a"}
