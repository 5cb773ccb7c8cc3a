"""The objects that run metal3 in the cluster, as they shall be."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from ingot.kube.kind import Content, ObjectKey
from ingot.metal3.cluster.images import places
from ingot.metal3.cluster.names import (
    AUTHORITY,
    CREDENTIALS,
    IMAGES,
    IMAGES_LABELS,
    METAL3_KEY,
)
from ingot.metal3.cluster.options import Images, Options
from ingot.metal3.pod.manifest import HOSTNAME, control_plane_only, deployment
from ingot.metal3.pod.podspec import LABELS, Sources
from ingot.metal3.pod.settings import Settings

__all__ = [
    "CREDENTIALS_ANNOTATION",
    "authority_secret",
    "credentials_secret",
    "images_deployment",
    "metal3_deployment",
    "secret",
    "service",
    "service_status",
]

CREDENTIALS_ANNOTATION: Final = "ingot.local/credentials"
"""Changes with them, so that the pod is replaced when they do."""
IMAGES_LEAVE_AFTER: Final = 900
"""Seconds that a node may be away before its copy of the images is made elsewhere: a server that is
started again is back by then, and gigabytes need not be copied."""
LOAD_BALANCER_CLASS: Final = "ingot.local/vip"
"""Nobody else's: the VIP is kept by the nodes, and no other balancer shall give it to somebody."""

Files = Mapping[str, bytes]


def authority_secret(files: Files) -> Content:
    """Return the Secret with who signs Ironic's certificate; no pod has it."""
    return secret(AUTHORITY, files)


def credentials_secret(files: Files, settings: Settings) -> Content:
    """Return the Secret that the pod has: its credentials, and what it is told."""
    said = settings.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps(said, indent=2, sort_keys=True) + "\n"
    return secret(CREDENTIALS, {**files, "settings.json": text.encode()})


def metal3_deployment(
    settings: Settings, options: Options, credentials: Files, *, replicas: int
) -> Content:
    """Return the Deployment of metal3, on a node that has a copy of the images."""
    given = {"secretName": CREDENTIALS.name, "defaultMode": 0o400}
    told = {**given, "items": [{"key": "settings.json", "path": "settings.json"}]}
    folder = f"{places.FOLDER}/{options.images.digest}"
    return deployment(
        settings,
        image=options.image,
        sources=Sources(
            given={"secret": given},
            told={"secret": told},
            # It is not there before it is complete, and kubelet waits for it.
            media={"hostPath": {"path": folder, "type": "Directory"}},
        ),
        replicas=replicas,
        annotations={CREDENTIALS_ANNOTATION: _digest(credentials)},
        beside=IMAGES_LABELS,
    )


def images_deployment(options: Options, *, replicas: int) -> Content:
    """Return the Deployment of the copies, each on a node of its own."""
    term = {"labelSelector": {"matchLabels": dict(IMAGES_LABELS)}, "topologyKey": HOSTNAME}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(IMAGES, IMAGES_LABELS),
        "spec": {
            "replicas": replicas,
            # Each has the port of its node to itself.
            "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            "selector": {"matchLabels": dict(IMAGES_LABELS)},
            "template": {
                "metadata": {"labels": dict(IMAGES_LABELS)},
                "spec": {
                    **control_plane_only(IMAGES_LEAVE_AFTER),
                    "affinity": affinity,
                    "containers": [_copy(options.image, options.images)],
                    "dnsPolicy": "Default",
                    "enableServiceLinks": False,
                    "hostNetwork": True,
                    "priorityClassName": "system-cluster-critical",
                    "securityContext": {
                        "runAsUser": 0,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    },
                    "serviceAccountName": IMAGES.name,
                    "terminationGracePeriodSeconds": 5,
                    "volumes": [
                        {
                            "name": "images",
                            "hostPath": {"path": str(places.FOLDER), "type": "DirectoryOrCreate"},
                        },
                        {"name": "scratch", "emptyDir": {}},
                    ],
                },
            },
        },
    }


def _copy(image: str, images: Images) -> Content:
    told = {
        places.FILES: ",".join(f"{one.name}={one.sha256}" for one in images.files),
        places.SOURCE: images.source,
    }
    pod = {"fieldRef": {"fieldPath": "metadata.name"}}
    return {
        "name": "images",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/usr/bin/ingot-node", "metal3", "images"],
        "env": [
            *({"name": name, "value": value} for name, value in told.items()),
            {"name": places.POD, "valueFrom": pod},
        ],
        "readinessProbe": {
            "httpGet": {"path": places.READY, "port": places.PORT},
            "periodSeconds": 5,
            "timeoutSeconds": 5,
        },
        "resources": {"requests": {"cpu": "5m", "memory": "30Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["SETGID", "SETUID"]},
            "readOnlyRootFilesystem": True,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "images", "mountPath": str(places.FOLDER)},
            {"name": "scratch", "mountPath": str(places.SCRATCH)},
        ],
    }


def service(settings: Settings) -> Content:
    """Return the Service by which the pod is reached at the API VIP, wherever it runs."""
    ports = {"http": settings.ports.http, "ironic": settings.ports.api}
    if settings.virtual_media_tls:
        ports["https"] = settings.ports.https
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(METAL3_KEY, LABELS),
        "spec": {
            "type": "LoadBalancer",
            "loadBalancerClass": LOAD_BALANCER_CLASS,
            "allocateLoadBalancerNodePorts": False,
            "ipFamilyPolicy": "PreferDualStack",
            # Agents need Ironic also while the operator beside it is starting.
            "publishNotReadyAddresses": True,
            "selector": dict(LABELS),
            "ports": [
                {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
                for name, port in ports.items()
            ],
        },
    }


def service_status(options: Options) -> Content:
    """Return where that Service is: what the nodes' proxies forward to the pod."""
    vips = [{"ip": str(vip), "ipMode": "VIP"} for vip in options.api_vips]
    return {"status": {"loadBalancer": {"ingress": vips}}}


def secret(key: ObjectKey, files: Files) -> Content:
    """Return a Secret with files in it."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(key, LABELS),
        "type": "Opaque",
        "data": {name: b64encode(content).decode() for name, content in files.items()},
    }


def _metadata(key: ObjectKey, labels: Mapping[str, str]) -> dict[str, Any]:
    return {"name": key.name, "namespace": key.namespace, "labels": dict(labels)}


def _digest(files: Files) -> str:
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return whole.hexdigest()[:16]
