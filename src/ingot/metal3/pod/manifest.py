"""The pod in its two places: a static pod's file, and a Deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml

from ingot.metal3.pod.operating import NAMESPACE
from ingot.metal3.pod.podspec import LABELS, Sources, pod_spec, settings_annotation
from ingot.metal3.pod.settings import Settings

__all__ = ["CONTROL_PLANE", "NAME", "control_plane_only", "deployment", "manifest", "static_pod"]

Json = dict[str, Any]

NAME: Final = "metal3"
CONTROL_PLANE: Final = {"node-role.kubernetes.io/control-plane": ""}
LEAVES_AFTER: Final = 30
"""Seconds that a node may be away before the pod is begun on another one."""
START_SECONDS: Final = 600
"""How long it may take to start: on a busy machine Ironic alone takes minutes."""


def manifest(settings: Settings, *, image: str, sources: Sources | None = None) -> str:
    """Return the file of the static pod, as kubelet reads it.

    Args:
        settings: what the pod is told.
        image: the metal3 image.
        sources: where its files come from; None: where they are on the bootstrap VM.
    """
    pod = static_pod(settings, image=image, sources=sources or Sources.bootstrap())
    return yaml.safe_dump(pod, sort_keys=True, allow_unicode=True)


def static_pod(settings: Settings, *, image: str, sources: Sources) -> Json:
    """Return the static pod."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": dict(LABELS),
            "annotations": settings_annotation(settings),
        },
        "spec": pod_spec(settings, image=image, sources=sources),
    }


def deployment(  # noqa: PLR0913 - each by its name
    settings: Settings,
    *,
    image: str,
    sources: Sources,
    service_account: str = NAME,
    replicas: int = 1,
    annotations: Mapping[str, str] | None = None,
    beside: Mapping[str, str] | None = None,
) -> Json:
    """Return the Deployment: one pod on the control plane, and never a second one beside it.

    Args:
        settings: what the pod is told.
        image: the metal3 image.
        sources: where its files come from.
        service_account: as whom its operator asks the API.
        replicas: one, or none while somebody else provisions.
        annotations: what else has the pod replaced when it changes.
        beside: the labels of pods, one of which has to be on the same node.
    """
    spec = pod_spec(settings, image=image, sources=sources)
    spec |= {**control_plane_only(LEAVES_AFTER), "serviceAccountName": service_account}
    if beside is not None:
        term = {"labelSelector": {"matchLabels": dict(beside)}, "topologyKey": HOSTNAME}
        spec["affinity"] = {
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        }
    metadata = {
        "labels": dict(LABELS),
        "annotations": {**settings_annotation(settings), **(annotations or {})},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": dict(LABELS)},
        "spec": {
            "replicas": replicas,
            "progressDeadlineSeconds": START_SECONDS,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": dict(LABELS)},
            "template": {"metadata": metadata, "spec": spec},
        },
    }


HOSTNAME: Final = "kubernetes.io/hostname"


def control_plane_only(leaves_after: int) -> Json:
    """Return what places a pod on the control plane, and has it leave a node that is gone.

    Args:
        leaves_after: seconds that a node may be away.
    """
    away = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    return {
        "nodeSelector": dict(CONTROL_PLANE),
        "tolerations": [
            *({"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in CONTROL_PLANE),
            *(
                {
                    "key": key,
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": leaves_after,
                }
                for key in away
            ),
        ],
    }
