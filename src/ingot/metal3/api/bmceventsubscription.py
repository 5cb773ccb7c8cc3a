"""BMCEventSubscription: where a server's management controller sends its events."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import AGE, Column, Definition
from ingot.kube.crd.wire import OMIT_UNSET, WIRE, Text
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.references import SecretReference
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "BMCEventSubscription",
    "BMCEventSubscriptionSpec",
    "BMCEventSubscriptionStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BMCEventSubscriptionSpec:
    """The subscription that is wanted. It cannot be changed."""

    host_name: Text = ""
    """The host, by name."""

    destination: Text = ""
    """The URL that events are sent to."""

    context: Text = ""
    """What each event carries along, for the receiver."""

    http_headers_ref: SecretReference | None = None
    """The Secret with headers that the controller sends along."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BMCEventSubscriptionStatus:
    """The subscription that was made."""

    subscription_id: Annotated[Text, Field(alias="subscriptionID")] = ""
    """The subscription's id in the controller."""

    error: Text = ""
    """Why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class BMCEventSubscription:
    """Where a server's management controller sends its events."""

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["BMCEventSubscription"] = "BMCEventSubscription"

    spec: BMCEventSubscriptionSpec = Field(default_factory=BMCEventSubscriptionSpec)
    """The subscription that is wanted."""

    status: Annotated[BMCEventSubscriptionStatus, OMIT_UNSET] = Field(
        default_factory=BMCEventSubscriptionStatus
    )
    """The subscription that was made."""


DEFINITION = Definition(
    group=GROUP,
    version=VERSION,
    model=BMCEventSubscription,
    plural="bmceventsubscriptions",
    short_names=("bes", "bmcevent"),
    columns=(Column("Error", ".status.error", "Why there is no subscription."), AGE),
)
