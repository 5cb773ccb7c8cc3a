"""References from one object to another."""

from __future__ import annotations

from pydantic.dataclasses import dataclass

from ingot.kube.crd.wire import ATOMIC, WIRE, Text, Time

__all__ = [
    "AttachmentReference",
    "ObjectReference",
    "SchemaReference",
    "SecretReference",
    "Taint",
]


@dataclass(frozen=True, slots=True, kw_only=True, config=ATOMIC)
class SecretReference:
    """A Secret, by name."""

    name: Text = ""
    """The Secret's name."""

    namespace: Text = ""
    """The Secret's namespace."""


@dataclass(frozen=True, slots=True, kw_only=True, config=ATOMIC)
class ObjectReference:
    """Any object of the cluster."""

    api_version: Text = ""
    """Its group and version."""

    field_path: Text = ""
    """The part of it that is meant, when it is not the whole."""

    kind: Text = ""
    """Its kind."""

    name: Text = ""
    """Its name."""

    namespace: Text = ""
    """Its namespace."""

    resource_version: Text = ""
    """The version of it that is meant."""

    uid: Text = ""
    """Its unique id, which tells it from a later one of the same name."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class SchemaReference:
    """A FirmwareSchema."""

    name: str
    """The schema's name."""

    namespace: str
    """The schema's namespace."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class AttachmentReference:
    """A HostNetworkAttachment."""

    name: Text = ""
    """The attachment's name."""

    namespace: Text = ""
    """The attachment's namespace; the host's own when not given."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Taint:
    """A mark that keeps pods off a node."""

    key: str
    """What the taint is called."""

    effect: str
    """What happens to pods that do not tolerate it."""

    value: Text = ""
    """The taint's value."""

    time_added: Time | None = None
    """When it was added."""
