"""All rules of BMCEventSubscription."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.bmceventsubscription import BMCEventSubscription
from ingot.metal3.webhooks.finding import Finding, shown
from ingot.metal3.webhooks.judging import Judge
from ingot.metal3.webhooks.url import UrlFault, read_url

__all__ = ["JUDGE"]

_DESTINATION: Final = "spec.destination"


def host_is_named(subscription: BMCEventSubscription) -> Iterator[Finding]:
    """BMCEventSubscription: hostName is required."""
    if not subscription.spec.host_name:
        yield Finding("spec.hostName", "is missing", "give the name of a BareMetalHost")


def destination_can_be_reached(subscription: BMCEventSubscription) -> Iterator[Finding]:
    """BMCEventSubscription: destination is required, and a URL with a path."""
    remedy = "give a URL with a path, such as https://events.example.com/receive"
    text = subscription.spec.destination
    url = read_url(text)
    if isinstance(url, UrlFault):
        yield Finding(_DESTINATION, f"{shown(text)} {url.what}" if text else "is missing", remedy)
    elif not url.path:
        yield Finding(_DESTINATION, f"{shown(text)} has no path", remedy)


def headers_are_near(subscription: BMCEventSubscription) -> Iterator[Finding]:
    """BMCEventSubscription: httpHeadersRef names the object's own namespace."""
    reference = subscription.spec.http_headers_ref
    own = subscription.metadata.namespace
    if reference is not None and reference.namespace != own:
        yield Finding(
            "spec.httpHeadersRef.namespace",
            f"is {shown(reference.namespace)}, but the subscription is in {shown(own)}",
            "put the Secret into the subscription's namespace, and name that here",
        )


def nothing_changes(old: BMCEventSubscription, new: BMCEventSubscription) -> Iterator[Finding]:
    """BMCEventSubscription: spec is immutable.

    By value. Upstream compares a reference by where it is in memory, and so refuses even the
    finalizer on an object that has one.
    """
    if old.spec != new.spec:
        yield Finding("spec", "cannot change", "delete the subscription and create it again")


JUDGE: Final = Judge(
    model=BMCEventSubscription,
    rules=(host_is_named, destination_can_be_reached, headers_are_near),
    change_rules=(nothing_changes,),
)
