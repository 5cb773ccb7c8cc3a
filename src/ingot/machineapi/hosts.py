"""A BareMetalHost as far as Machines are concerned: a narrow view of the stored object.

The whole model is `metal3`'s. What is read here is what decides about claiming and giving back, and
a field that is missing reads as empty: a host that was never looked at has no status at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from ingot.kube.kind import Kind, ObjectKey, Unreadable
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation

__all__ = [
    "BARE_METAL_HOST",
    "FREE",
    "Consumer",
    "Host",
    "consumer_key",
    "names",
    "nodes_rebooting",
]

FREE: Final = frozenset({"available", "ready"})
"""States in which a host waits for somebody; `ready` is the old word."""

_GROUP: Final = "machine.openshift.io"
_PROVISIONING: Final = "provisioning error"


class Consumer(msgspec.Struct, frozen=True, rename="camel"):
    """Who uses a host."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""


class _Card(msgspec.Struct, frozen=True):
    ip: str = ""


class _Hardware(msgspec.Struct, frozen=True):
    nics: tuple[_Card, ...] = ()


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    online: bool = False
    consumer_ref: Consumer | None = None
    image: Mapping[str, Any] | None = None
    custom_deploy: Mapping[str, Any] | None = None
    user_data: Mapping[str, Any] | None = None
    externally_provisioned: bool = False
    disable_power_off: bool = False


class _Provisioning(msgspec.Struct, frozen=True):
    state: str = ""


class _Times(msgspec.Struct, frozen=True):
    start: str | None = None
    end: str | None = None


class _History(msgspec.Struct, frozen=True):
    provision: _Times = _Times()


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    provisioning: _Provisioning = _Provisioning()
    hardware: _Hardware | None = None
    operational_status: str = ""
    error_type: str = ""
    error_message: str = ""
    powered_on: bool = False
    provisioning_fail_count: int = 0
    operation_history: _History = _History()


class Host(msgspec.Struct, frozen=True):
    """What is wanted of a host, and where it stands."""

    spec: _Spec = _Spec()
    status: _Status = _Status()

    @property
    def state(self) -> str:
        """Where it stands on its way."""
        return self.status.provisioning.state

    @property
    def has_work(self) -> bool:
        """Whether something is to be installed on it."""
        return self.spec.image is not None or self.spec.custom_deploy is not None

    @property
    def gave_up(self) -> bool:
        """Whether what it was to run has failed, and is not tried again as things are.

        While there are tries left, a host that has failed is deprovisioned, and then free of error.
        """
        status = self.status
        failed = status.error_type == _PROVISIONING and status.provisioning_fail_count > 0
        return failed and self.has_work and self.state in FREE

    @property
    def was_left_unfinished(self) -> bool:
        """Whether the last that was to be installed on it was begun and never ended.

        Failures are counted for one image, and forgotten with it; the times of the last try stay.
        """
        times = self.status.operation_history.provision
        return bool(times.start) and not times.end

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses that its network cards had when they were looked at, each once."""
        cards = self.status.hardware.nics if self.status.hardware else ()
        return tuple(dict.fromkeys(card.ip for card in cards if card.ip))


def _read(raw: bytes) -> Host:
    try:
        return msgspec.json.decode(raw, type=Host)
    except msgspec.MsgspecError as error:
        raise Unreadable(
            f"an object of kind BareMetalHost cannot be read: {error}",
            remedy="correct the field, or install the definitions of this release",
        ) from error


BARE_METAL_HOST: Final = Kind(
    group="metal3.io", version="v1alpha1", kind="BareMetalHost", plural="baremetalhosts", read=_read
)


def consumer_key(host: KubeObject[Host]) -> ObjectKey | None:
    """Return the Machine that uses a host; None if nobody does, or something else."""
    consumer = host.model.spec.consumer_ref
    if consumer is None or consumer.kind != "Machine":
        return None
    if consumer.api_version.partition("/")[0] != _GROUP:
        return None
    return ObjectKey(consumer.namespace or host.key.namespace, consumer.name)


def names(host: KubeObject[Host], machine: ObjectKey) -> bool:
    """Tell whether a host is used by a Machine."""
    return consumer_key(host) == machine


def nodes_rebooting(hosts: Iterable[KubeObject[Any]]) -> frozenset[str]:
    """Return the nodes, which are called as their hosts are, that are turned off for a while."""
    return frozenset(
        host.key.name
        for host in hosts
        if any(
            name.partition("/")[0] == annotation.HOST_REBOOT for name in host.metadata.annotations
        )
    )
