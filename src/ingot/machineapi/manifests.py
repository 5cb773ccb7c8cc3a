"""Machines and MachineSets of a new cluster, as objects to be created.

The servers of the control plane are installed before there is a cluster. Their Machines name the
hosts that they already have, and take them over as they are: nothing is installed again. Workers
are claimed by a set in the usual way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ingot.machineapi import annotation
from ingot.machineapi.api.providerspec import API_VERSION, KIND, Image
from ingot.machineapi.api.wire import GROUP, VERSION
from ingot.machineapi.observing import written

__all__ = [
    "CONTROL_PLANE_ROLE",
    "WORKER_ROLE",
    "Pool",
    "control_plane_machine",
    "health_check",
    "machine_name",
    "worker_set",
]

CONTROL_PLANE_ROLE: Final = "master"
WORKER_ROLE: Final = "worker"
"""Values of the role label, as the field has them."""

CLUSTER: Final = "machine.openshift.io/cluster-api-cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What the machines of one role have in common.

    Attributes:
        cluster: the cluster's name.
        namespace: where Machines and hosts are.
        image: what is written to their disks.
        host_labels: which hosts a worker may take; empty for any.
        kept_out: labels of hosts that it may not take.
        node_labels: what their Nodes carry.
    """

    cluster: str
    namespace: str
    image: Image
    host_labels: tuple[tuple[str, str], ...] = ()
    kept_out: tuple[tuple[str, str], ...] = ()
    node_labels: tuple[tuple[str, str], ...] = ()


def machine_name(cluster: str, role: str, number: int) -> str:
    """Return what the Machine of a host of the control plane is called."""
    return f"{cluster}-{role}-{number}"


def control_plane_machine(
    pool: Pool, *, host: str, number: int, user_data: str = ""
) -> dict[str, Any]:
    """Return the Machine of a host that is, or is being, installed already.

    Args:
        pool: what it shares with the others.
        host: the BareMetalHost's name.
        number: which of the control plane it is, from 0.
        user_data: the Secret of its first boot; empty for the host's own.
    """
    labels = _labels(pool, CONTROL_PLANE_ROLE)
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Machine",
        "metadata": {
            "name": machine_name(pool.cluster, CONTROL_PLANE_ROLE, number),
            "namespace": pool.namespace,
            "labels": labels,
            "annotations": {annotation.HOST: f"{pool.namespace}/{host}"},
        },
        "spec": _spec(pool, user_data),
    }


def worker_set(
    pool: Pool, *, replicas: int, number: int = 0, user_data: str = ""
) -> dict[str, Any]:
    """Return the MachineSet of workers.

    Args:
        pool: what they share.
        replicas: how many there are to be.
        number: which set of workers it is, from 0.
        user_data: the Secret of their first boot; empty for each host's own.
    """
    name = machine_name(pool.cluster, WORKER_ROLE, number)
    chosen = {CLUSTER: pool.cluster, annotation.SET: name}
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "MachineSet",
        "metadata": {
            "name": name,
            "namespace": pool.namespace,
            "labels": {CLUSTER: pool.cluster},
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": chosen},
            "template": {
                "metadata": {"labels": {**_labels(pool, WORKER_ROLE), **chosen}},
                "spec": _spec(pool, user_data),
            },
        },
    }


def health_check(cluster: str, namespace: str) -> dict[str, Any]:
    """Return the check by which workers are healed that have fallen silent.

    Args:
        cluster: the cluster's name.
        namespace: where its Machines are.
    """
    # A server that starts slowly says "False" for a while; one that is silent says nothing.
    unhealthy = (("Unknown", "5m"), ("False", "10m"))
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "MachineHealthCheck",
        "metadata": {
            "name": f"{cluster}-{WORKER_ROLE}",
            "namespace": namespace,
            "labels": {CLUSTER: cluster},
        },
        "spec": {
            "selector": {"matchLabels": {CLUSTER: cluster, annotation.ROLE: WORKER_ROLE}},
            "unhealthyConditions": [
                {"type": "Ready", "status": status, "timeout": timeout}
                for status, timeout in unhealthy
            ],
            "maxUnhealthy": "40%",
        },
    }


def _selector(pool: Pool) -> dict[str, Any]:
    selector: dict[str, Any] = {}
    if pool.host_labels:
        selector["matchLabels"] = dict(pool.host_labels)
    if pool.kept_out:
        selector["matchExpressions"] = [
            {"key": key, "operator": "NotIn", "values": [value]} for key, value in pool.kept_out
        ]
    return selector


def _labels(pool: Pool, role: str) -> dict[str, str]:
    return {CLUSTER: pool.cluster, annotation.ROLE: role, annotation.TYPE: role}


def _spec(pool: Pool, user_data: str) -> dict[str, Any]:
    value: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "image": written(pool.image),
    }
    if selector := _selector(pool):
        value["hostSelector"] = selector
    if user_data:
        value["userData"] = {"name": user_data, "namespace": pool.namespace}
    spec: dict[str, Any] = {"providerSpec": {"value": value}}
    if pool.node_labels:
        spec["metadata"] = {"labels": dict(pool.node_labels)}
    return spec
