"""The pod as Kubernetes is told of it: the same containers, wherever their files come from.

Every container runs as root, on a root that is read-only: the files that it is given on the
bootstrap VM are root's alone. It has no capability but what its daemon cannot do without: both boot
servers set their user and groups; dnsmasq has ports below 1024, sends raw packets to hosts without
an address, and enters those into the ARP table; who keeps the address sets it.

Probes are patient: on a machine that is busy booting others, a restart makes everything worse.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ingot.metal3.pod import places
from ingot.metal3.pod.operating import operator_environment
from ingot.metal3.pod.settings import Settings

__all__ = ["LABELS", "SETTINGS_ANNOTATION", "Sources", "pod_spec", "settings_annotation"]

Json = dict[str, Any]

LABELS: Final = {"app.kubernetes.io/name": "metal3", "app.kubernetes.io/part-of": "ingot"}
SETTINGS_ANNOTATION: Final = "ingot.local/settings"
"""Changes with the settings, so that the pod is replaced when they do."""

GRACE_SECONDS: Final = 30
"""For the operator to end what it has begun, and to give up its lease."""
USER_CHANGES: Final = ("SETGID", "SETUID")
"""Both daemons set their user and groups, whoever they are."""
DNSMASQ_NEEDS: Final = ("NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW", *USER_CHANGES)

_COMMAND: Final = "/usr/bin/ingot-node"
_SCRATCH: Final = {"name": "scratch", "mountPath": "/tmp"}  # noqa: S108 - it is the pod's own
_SHARED: Final = {"name": "shared", "mountPath": str(places.SHARED)}
_GIVEN: Final = {"name": "given", "mountPath": str(places.GIVEN), "readOnly": True}
_MEDIA: Final = {"name": "media", "mountPath": str(places.IMAGES), "readOnly": True}
_AUTH: Final = {"name": "given", "mountPath": f"{places.AUTH}/ironic", "readOnly": True}
_TOLD: Final = {"name": "told", "mountPath": str(places.GIVEN), "readOnly": True}
_KUBECONFIG: Final = {"name": "kubeconfig", "mountPath": str(places.KUBECONFIG), "readOnly": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the pod's files come from: volumes, without their names.

    Attributes:
        given: settings.json, tls.crt, tls.key, ca.crt, username and password.
        media: disk.img, kernel and initrd.
        kubeconfig: one file; None: the pod has a service account.
        told: settings.json alone, for who keeps the address and has no use for keys.
    """

    given: Mapping[str, Any]
    media: Mapping[str, Any]
    kubeconfig: Mapping[str, Any] | None = None
    told: Mapping[str, Any] | None = None

    @classmethod
    def bootstrap(cls) -> Sources:
        """Return where they are on the bootstrap VM."""
        return cls(
            given={"hostPath": {"path": str(places.GIVEN), "type": "Directory"}},
            media={"hostPath": {"path": "/run/ingot/media", "type": "Directory"}},
            kubeconfig={"hostPath": {"path": "/etc/kubernetes/admin.conf", "type": "File"}},
        )


def settings_annotation(settings: Settings) -> dict[str, str]:
    """Return what has the pod replaced when its settings change."""
    told = settings.model_dump_json(by_alias=True)
    return {SETTINGS_ANNOTATION: hashlib.sha256(told.encode()).hexdigest()[:16]}


def pod_spec(settings: Settings, *, image: str, sources: Sources) -> Json:
    """Return the pod's specification.

    Args:
        settings: what it is told; the file itself is among its sources.
        image: the metal3 image.
        sources: where its files come from.
    """
    containers = [_ironic(settings), _httpd(settings), _operator(settings, sources)]
    if settings.has_network:
        containers.insert(1, _dnsmasq())
    if settings.kept_in is not None:
        containers.append(_network())
    volumes: list[Json] = [
        {"name": "shared", "emptyDir": {}},
        {"name": "scratch", "emptyDir": {}},
        {"name": "given", **sources.given},
        {"name": "media", **sources.media},
    ]
    if sources.kubeconfig is not None:
        volumes.append({"name": "kubeconfig", **sources.kubeconfig})
    if settings.kept_in is not None:
        volumes.append({"name": "told", **(sources.told or sources.given)})
    return {
        "automountServiceAccountToken": sources.kubeconfig is None,
        "containers": [_completed(one, image) for one in containers],
        "dnsPolicy": "Default",
        "enableServiceLinks": False,
        "hostNetwork": True,
        "initContainers": [_completed(_prepare(), image)],
        "priorityClassName": "system-node-critical",
        "securityContext": {"runAsUser": 0, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "tolerations": [{"operator": "Exists"}],
        "volumes": volumes,
    }


def _completed(container: Json, image: str) -> Json:
    """Add what all containers have."""
    added = container.pop("adds", ())
    mounts = [*container.pop("volumeMounts"), _SCRATCH]
    capabilities: Json = {"drop": ["ALL"]}
    if added:
        capabilities["add"] = list(added)
    return {
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": capabilities,
            "readOnlyRootFilesystem": True,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        **container,
        "volumeMounts": mounts,
    }


def _prepare() -> Json:
    return {
        "name": "prepare",
        "command": [_COMMAND, "metal3", "prepare"],
        "resources": _requests("50m", "150Mi"),
        "volumeMounts": [_SHARED, _GIVEN, _MEDIA],
    }


def _ironic(settings: Settings) -> Json:
    asked = {"httpGet": {"path": "/", "port": settings.ports.api, "scheme": "HTTPS"}}
    return {
        "name": "ironic",
        "command": [_COMMAND, "metal3", "ironic"],
        "resources": _requests("50m", "300Mi"),
        "startupProbe": _probe(asked, every=5, failures=60),
        "livenessProbe": _probe(asked, every=20, failures=9),
        "volumeMounts": [_SHARED, _GIVEN, _MEDIA],
    }


def _dnsmasq() -> Json:
    return {
        "name": "dnsmasq",
        "command": [_COMMAND, "metal3", "dnsmasq"],
        "resources": _requests("5m", "30Mi"),
        "adds": DNSMASQ_NEEDS,
        "volumeMounts": [_SHARED],
    }


def _httpd(settings: Settings) -> Json:
    asked = {"tcpSocket": {"port": settings.ports.http}}
    return {
        "name": "httpd",
        "command": [_COMMAND, "metal3", "httpd"],
        "adds": USER_CHANGES,
        "resources": _requests("5m", "30Mi"),
        "livenessProbe": _probe(asked, every=20, failures=9),
        "volumeMounts": [_SHARED, _MEDIA, *([_GIVEN] if settings.virtual_media_tls else [])],
    }


def _operator(settings: Settings, sources: Sources) -> Json:
    told = operator_environment(settings, kubeconfig=sources.kubeconfig is not None)
    port = settings.ports.health
    mounts = [{**_SHARED, "readOnly": True}, _GIVEN, _AUTH]
    return {
        "name": "operator",
        "command": [_COMMAND, "operator"],
        "env": [{"name": name, "value": value} for name, value in told.items()],
        "resources": _requests("20m", "100Mi"),
        "startupProbe": _probe(_page("/healthz", port), every=5, failures=60),
        "livenessProbe": _probe(_page("/healthz", port), every=20, failures=9),
        "readinessProbe": _probe(_page("/readyz", port), every=10, failures=3),
        "volumeMounts": [*mounts, *([_KUBECONFIG] if sources.kubeconfig is not None else [])],
    }


def _network() -> Json:
    return {
        "name": "network",
        "command": [_COMMAND, "metal3", "network"],
        "adds": ("NET_ADMIN",),
        "resources": _requests("5m", "60Mi"),
        "volumeMounts": [_SHARED, _TOLD],
    }


def _page(path: str, port: int) -> Json:
    return {"httpGet": {"path": path, "port": port}}


def _probe(asked: Json, *, every: int, failures: int) -> Json:
    return {**asked, "periodSeconds": every, "failureThreshold": failures, "timeoutSeconds": 10}


def _requests(cpu: str, memory: str) -> Json:
    return {"requests": {"cpu": cpu, "memory": memory}}
