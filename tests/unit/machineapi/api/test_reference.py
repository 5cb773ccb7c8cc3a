"""The reference page tells all that there is to know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingot.kube.crd.structural import structural_schema
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.api.providerspec import BareMetalMachineProviderSpec
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.options import VARIABLES

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "machine-api.md"
ELSEWHERE = {"spec.providerSpec", "spec.template", "apiVersion", "kind"}
"""What is told below another head, or is the same everywhere."""

NOT_TOLD = {Reason.CLAIMED, Reason.PROVISIONED, Reason.NODE_LINKED}
"""What says that all is well."""


def shallow(schema: dict[str, Any], *parts: str) -> Iterator[str]:
    for part in parts:
        for name in schema["properties"][part]["properties"]:
            if f"{part}.{name}" not in ELSEWHERE:
                yield f"{part}.{name}"


def every_field() -> Iterator[str]:
    yield from shallow(structural_schema(Machine), "spec", "status")
    yield from shallow(structural_schema(MachineSet), "spec", "status")
    for name, part in structural_schema(BareMetalMachineProviderSpec)["properties"].items():
        yield from (f"{name}.{below}" for below in part.get("properties", ()))


@pytest.mark.parametrize("field", sorted(set(every_field())))
def test_a_field_is_told(field: str) -> None:
    assert f"`{field}" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_is_told_with_its_default(name: str) -> None:
    default, meaning = VARIABLES[name]
    shown = f"`{default}`" if default else ""
    assert f"| `{name}` | {shown} | {meaning} |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*MachineCondition, *(set(Reason) - NOT_TOLD)])
def test_a_word_of_a_condition_is_told(word: str) -> None:
    assert f"`{word}" in PAGE.read_text(encoding="utf-8")
