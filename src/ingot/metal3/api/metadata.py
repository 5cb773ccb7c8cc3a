"""What every object carries: its name, its version and who holds on to it.

Only what the operator reads. ``managedFields`` alone can outweigh the rest of an object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import OMIT_EMPTY, WIRE, Flag, Many, Text, Time, Whole

__all__ = ["Metadata", "OwnerReference"]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class OwnerReference:
    """An object that takes this one along when it is deleted."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: Flag = False
    block_owner_deletion: Flag = False


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Metadata:
    """The part of an object's metadata that the operator looks at."""

    name: str
    namespace: Text = ""
    uid: Text = ""
    resource_version: Text = ""
    generation: Whole = 0
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    labels: Annotated[Mapping[str, str], OMIT_EMPTY] = Field(default_factory=dict)
    annotations: Annotated[Mapping[str, str], OMIT_EMPTY] = Field(default_factory=dict)
    finalizers: Many[str] = ()
    owner_references: Many[OwnerReference] = ()

    @property
    def is_going(self) -> bool:
        """Whether the object is being deleted."""
        return self.deletion_timestamp is not None
