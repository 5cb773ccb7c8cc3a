"""The pod in its two places: a static pod's file, and a Deployment."""

from __future__ import annotations

from typing import Any, Final

import yaml

from ingot.metal3.pod.operating import NAMESPACE
from ingot.metal3.pod.podspec import LABELS, Sources, pod_spec, settings_annotation
from ingot.metal3.pod.settings import Settings

__all__ = ["NAME", "deployment", "manifest", "static_pod"]

Json = dict[str, Any]

NAME: Final = "metal3"
CONTROL_PLANE: Final = {"node-role.kubernetes.io/control-plane": ""}


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


def deployment(
    settings: Settings, *, image: str, sources: Sources, service_account: str = NAME
) -> Json:
    """Return the Deployment: one pod on the control plane, and never a second one beside it."""
    spec = pod_spec(settings, image=image, sources=sources)
    spec |= {"nodeSelector": dict(CONTROL_PLANE), "serviceAccountName": service_account}
    metadata = {"labels": dict(LABELS), "annotations": settings_annotation(settings)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "namespace": NAMESPACE, "labels": dict(LABELS)},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": dict(LABELS)},
            "template": {"metadata": metadata, "spec": spec},
        },
    }
