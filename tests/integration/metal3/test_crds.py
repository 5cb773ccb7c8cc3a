"""The generated definitions on a real kube-apiserver: what is taken, refused, filled in and shown.

Fields are tried one by one in a full object, by a transcript of what metal3's own definitions say.
"""

from __future__ import annotations

import copy
import dataclasses
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from ingot.kube.crd.definition import Definition
from ingot.kube.crd.manifest import crd
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.reading import read, written
from tests.integration.kubeapi import kube_api
from tests.integration.metal3.places import MISSING, allowed, holder, refused, value_at
from tests.integration.metal3.served import Json, Served, definition_of, manifests, path_of, samples
from tests.unit.metal3.api.transcript import transcribed

KINDS = [definition.kind for definition in DEFINITIONS]
FIELDS = transcribed()
SPELLED: dict[str, object] = {"False": False, "0": 0, "60": 60}
"""Defaults that are no words, as the transcript spells them."""

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MINIMAL: dict[str, Json] = {
    "BareMetalHost": {
        "online": True,
        "raid": {"softwareRAIDVolumes": [{"level": "1"}]},
    },
    "HardwareData": {},
    "HostFirmwareSettings": {"settings": {}},
    "FirmwareSchema": {"schema": {}},
    "HostFirmwareComponents": {"updates": []},
    "HostUpdatePolicy": {},
    "PreprovisioningImage": {},
    "DataImage": {"url": "https://images/data.iso"},
    "BMCEventSubscription": {},
    "Provisioning": {"prometheusExporter": {"enabled": True}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with kube_api(tmp_path_factory.mktemp("kube")) as api:
        for manifest in manifests():
            api.install(manifest)
        server = Served(api)
        try:
            for sample in samples().values():
                server.create(sample)
            yield server
        finally:
            server.close()


def model_of(kind: str) -> type:
    return next(one.model for one in DEFINITIONS if one.kind == kind)


def minimal(kind: str, name: str = "least") -> Json:
    return {
        "apiVersion": "metal3.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": copy.deepcopy(MINIMAL[kind]),
    }


def attempt(served: Served, kind: str, path: str, value: object) -> tuple[int, Json]:
    """Return what the server says to a full object with one other value."""
    raw = served.get(samples()[kind])
    held, key = holder(raw, path)
    if value is MISSING:
        del held[key]
    else:
        held[key] = value
    if path.startswith("status") and definition_of(raw).has_status:
        return served.put_status(raw, "?dryRun=All")
    raw["metadata"] = {"name": "another"}
    return served.try_to_create(raw)


@pytest.mark.parametrize("manifest", manifests(), ids=lambda one: one["spec"]["names"]["kind"])
def test_a_definition_is_established_and_structural(served: Served, manifest: Json) -> None:
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    _, found = served.ask("GET", f"{path}/{manifest['metadata']['name']}")
    conditions = {one["type"]: one["status"] for one in found["status"]["conditions"]}
    assert conditions == {"Established": "True", "NamesAccepted": "True"}


def test_the_folder_has_exactly_the_definitions_of_the_models() -> None:
    by_name = {one["metadata"]["name"]: one for one in manifests()}
    assert by_name == {definition.name: crd(definition) for definition in DEFINITIONS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_has_every_field(kind: str) -> None:
    sample = samples()[kind]
    assert [path for path, _ in FIELDS[kind].items() if value_at(sample, path) is MISSING] == []


@pytest.mark.parametrize(
    "kind", [one for one in KINDS if any(list(allowed(field)) for field in FIELDS[one].values())]
)
def test_every_value_that_metal3_takes_is_taken(served: Served, kind: str) -> None:
    for path, field in FIELDS[kind].items():
        for change in allowed(field):
            code, answer = attempt(served, kind, path, change.value)
            assert code in (200, 201), f"{path} {change.name}: {answer.get('message')}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_that_metal3_refuses_is_refused(served: Served, kind: str) -> None:
    for path, field in FIELDS[kind].items():
        present = value_at(samples()[kind], path)
        for change in refused(field, present):
            code, answer = attempt(served, kind, path, change.value)
            assert code == 422, f"{path} {change.name}: {code} {answer.get('message')}"
            last = path.rpartition(".")[2].removesuffix("[]")
            assert last in answer["message"], f"{path} {change.name}: {answer['message']}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_required_exactly_where_metal3_requires_it(served: Served, kind: str) -> None:
    for path, field in FIELDS[kind].items():
        code, answer = attempt(served, kind, path, MISSING)
        default = field.limit("default")
        if field.required and default is None:
            assert code == 422, f"{path} may be left out"
            assert path.rpartition(".")[2] in answer["message"]
        else:
            assert code in (200, 201), f"{path} may not be left out: {answer.get('message')}"
            expected = SPELLED.get(default, default) if default else MISSING
            assert value_at(answer, path) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_server_fills_in_is_what_the_model_has(served: Served, kind: str) -> None:
    code, stored = served.try_to_create(minimal(kind))
    assert code == 201, stored
    assert stored.get("spec") == written(read(model_of(kind), minimal(kind))).get("spec")


def test_a_status_without_its_counters_gets_those_of_the_model(served: Served) -> None:
    raw = served.get(samples()["BareMetalHost"])
    status = written(read(model_of("BareMetalHost"), minimal("BareMetalHost")).status)
    raw["status"] = {
        name: value
        for name, value in status.items()
        if name not in ("errorCount", "provisioningFailCount")
    }
    code, stored = served.put_status(raw, "?dryRun=All")
    assert code == 200, stored
    assert stored["status"] == status


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_without_a_spec_is_taken_and_read(served: Served, kind: str) -> None:
    raw = minimal(kind)
    del raw["spec"]
    code, stored = served.try_to_create(raw)
    assert code == 201, stored
    assert read(model_of(kind), stored).metadata.name == "least"


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_object_survives_model_and_server(served: Served, kind: str) -> None:
    model = model_of(kind)
    sample = samples()[kind]
    before: Any = read(model, sample)
    made = dataclasses.replace(before, metadata=Metadata(name="round-trip"))
    stored = served.create(written(made))
    after: Any = read(model, stored)
    assert dataclasses.replace(after, metadata=before.metadata) == before
    for part in ("spec", "status"):
        assert stored.get(part, {}) == sample.get(part, {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_that_nobody_knows_is_refused_or_dropped(served: Served, kind: str) -> None:
    raw = minimal(kind)
    raw["spec"]["fromTheFuture"] = {"a": 1}
    code, answer = served.try_to_create(raw, "dryRun=All&fieldValidation=Strict")
    assert (code, "spec.fromTheFuture" in answer["message"]) == (400, True)
    code, answer = served.try_to_create(raw)
    assert code == 201
    assert "fromTheFuture" not in answer["spec"]


@pytest.mark.parametrize(
    "definition", [one for one in DEFINITIONS if one.has_status], ids=lambda one: one.kind
)
def test_the_status_is_written_apart(served: Served, definition: Definition) -> None:
    stored = served.get(samples()[definition.kind])
    name = f"{path_of(stored)}/{stored['metadata']['name']}"
    without = {key: value for key, value in stored.items() if key != "status"}
    _, answer = served.ask("PUT", f"{name}?dryRun=All", without)
    assert answer["status"] == stored["status"]
    changed = {**stored, "spec": MINIMAL[definition.kind]}
    _, answer = served.put_status(changed, "?dryRun=All")
    assert answer["spec"] == stored["spec"]
    assert answer["metadata"]["generation"] == stored["metadata"]["generation"]


@pytest.mark.parametrize(
    "definition", [one for one in DEFINITIONS if not one.has_status], ids=lambda one: one.kind
)
def test_other_kinds_have_no_status_of_its_own(served: Served, definition: Definition) -> None:
    stored = served.get(samples()[definition.kind])
    code, _ = served.put_status(stored)
    assert code == 404


def test_a_revision_never_goes_back(served: Served) -> None:
    raw = served.get(samples()["Provisioning"])
    raw["status"]["latestAvailableRevision"] = 6
    assert served.put_status(raw, "?dryRun=All")[0] == 200
    raw["status"]["latestAvailableRevision"] = 4
    code, answer = served.put_status(raw, "?dryRun=All")
    assert (code, "must not decrease" in answer["message"]) == (422, True)


def test_a_patch_of_one_field_leaves_the_others_alone(served: Served) -> None:
    stored = served.get(samples()["BareMetalHost"])
    path = f"{path_of(stored)}/{stored['metadata']['name']}?dryRun=All"
    _, answer = served.ask("PATCH", path, {"spec": {"architecture": "aarch64"}})
    assert answer["spec"] == {**stored["spec"], "architecture": "aarch64"}


COLUMNS = {
    "BareMetalHost": [
        ("Name", 0, "full"),
        ("Status", 1, "error"),
        ("State", 0, "provisioned"),
        ("Consumer", 0, "m"),
        ("BMC", 1, "redfish://10.0.0.9/s/1"),
        ("Online", 0, "false"),
        ("Error", 0, "inspection error"),
        ("Age", 0, None),
    ],
    "PreprovisioningImage": [
        ("Name", 0, "full"),
        ("Ready", 0, "True"),
        ("Reason", 0, "Fine"),
    ],
    "BMCEventSubscription": [
        ("Name", 0, "full"),
        ("Error", 0, "refused"),
        ("Age", 0, None),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_columns_are_metal3s(served: Served, kind: str) -> None:
    expected = COLUMNS.get(kind, [("Name", 0, "full"), ("Age", 0, None)])
    path = f"{path_of(samples()[kind])}/full"
    _, table = served.ask("GET", path, accept=TABLE)
    heads = [(column["name"], column["priority"]) for column in table["columnDefinitions"]]
    cells = [
        None if head == "Age" else cell
        for (head, _), cell in zip(heads, table["rows"][0]["cells"], strict=True)
    ]
    assert [(*head, cell) for head, cell in zip(heads, cells, strict=True)] == expected


@pytest.mark.parametrize(
    ("short", "kind"),
    [(short, one.kind) for one in DEFINITIONS for short in one.short_names],
)
def test_kubectl_knows_the_short_names(served: Served, short: str, kind: str) -> None:
    told = subprocess.run(
        [
            served.api.binaries["kubectl"],
            f"--kubeconfig={served.api.kubeconfig()}",
            f"--cache-dir={served.api.folder / 'kubectl'}",
            "get",
            short,
            "full",
            "--output=jsonpath={.kind}",
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.stdout == kind
