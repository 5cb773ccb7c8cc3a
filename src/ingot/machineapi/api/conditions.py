"""Conditions, in the form that this API has: a severity where something is wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import WIRE, Many, Text, Time, map_by

__all__ = ["Condition", "ConditionSeverity", "ConditionStatus", "Conditions"]


class ConditionStatus(StrEnum):
    """Whether a condition holds."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class ConditionSeverity(StrEnum):
    """How bad it is that a condition does not hold."""

    ERROR = "Error"
    WARNING = "Warning"
    INFO = "Info"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Condition:
    """One observation about an object."""

    type: Annotated[str, Field(min_length=1, max_length=316)]
    """What is observed."""

    status: ConditionStatus
    """Whether it holds."""

    severity: ConditionSeverity | None = None
    """How bad it is; only where it does not hold."""

    reason: Text = ""
    """Why, as one word for programs."""

    message: Text = ""
    """Why, as a sentence for people."""

    last_transition_time: Time
    """When the status last changed."""


Conditions = Annotated[Many[Condition], map_by("type")]
