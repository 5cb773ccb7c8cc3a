"""metal3 in the cluster: who sees to it, what it may do, and what it is told.

The controller makes everything else of `Provisioning`, when its time has come. Each part has a
service account of its own, which may do what the part does and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ingot.assets.documents import Json, yaml_of
from ingot.assets.endpoints import MEDIA_PORT
from ingot.assets.graph.files import Files
from ingot.assets.metal3rights import controller_rights, images_rights, metal3_rights
from ingot.assets.metal3settings import LAB
from ingot.assets.namespaces import METAL3
from ingot.assets.payload import Payload
from ingot.bmc.host import in_url
from ingot.config.model import InstallConfig
from ingot.metal3.cluster.names import CONTROLLER, OPTIONS_FILE
from ingot.metal3.cluster.options import ImageFile, Images, Options, rendered
from ingot.metal3.cluster.program import HEALTH_PORT
from ingot.metal3.pod.manifest import control_plane_only

__all__ = ["PATH", "metal3_cluster", "node_image_url", "options_of"]

PATH: Final = "manifests/41-metal3.yaml"
LABELS: Final = {"app.kubernetes.io/name": CONTROLLER, "app.kubernetes.io/part-of": "ingot"}
LEAVES_AFTER: Final = 60
"""Seconds that a node may be away before the controller is begun on another one."""


def metal3_cluster(config: InstallConfig, payload: Payload) -> Files:
    """Return accounts, rights, the controller's options, and the controller."""
    options = options_of(config, payload)
    folder, _, name = OPTIONS_FILE.rpartition("/")
    told = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(),
        "data": {name: rendered(options)},
    }
    rights = (*metal3_rights(), *images_rights(), *controller_rights())
    return {PATH: yaml_of(*rights, told, _controller(payload.onprem, folder))}


def options_of(config: InstallConfig, payload: Payload) -> Options:
    """Return what the controller is told."""
    platform = config.baremetal
    # The VM has the VIP until it goes, and every node reaches that.
    source = f"http://{in_url(str(platform.api_vips[0]))}:{MEDIA_PORT}/images"
    further = {
        "bmcCa": platform.bmc_verify_ca,
        "sshKeys": [line.strip() for line in config.ssh_key.splitlines() if line.strip()],
        **(LAB if payload.slow else {}),
    }
    return Options(
        image=payload.metal3,
        api_vips=platform.api_vips,
        images=Images(files=tuple(_files(config, payload)), source=source),
        settings={name: value for name, value in further.items() if value},
    )


def node_image_url(config: InstallConfig) -> str:
    """Return where servers fetch our node image once the cluster provisions."""
    platform = config.baremetal
    address = platform.cluster_provisioning_ip or platform.api_vips[0]
    return f"http://{in_url(str(address))}:{MEDIA_PORT}/images/disk.img"


def _files(config: InstallConfig, payload: Payload) -> Iterable[ImageFile]:
    """Return what has to be kept; a node image that the config names is fetched from there."""
    known = {"kernel": payload.kernel_sha256, "initrd": payload.initrd_sha256}
    if not config.baremetal.cluster_os_image:
        known["disk.img"] = payload.disk_sha256
    return [ImageFile(name=name, sha256=sha256) for name, sha256 in known.items() if sha256]


def _controller(image: str, folder: str) -> Json:
    container: Json = {
        "name": "controller",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["ingot-node", "metal3", "controller"],
        "ports": [{"name": "health", "containerPort": HEALTH_PORT}],
        "startupProbe": _probe("/healthz", every=5, failures=60),
        "livenessProbe": _probe("/healthz", every=20, failures=9),
        "readinessProbe": _probe("/readyz", every=10, failures=3),
        "resources": {"requests": {"cpu": "10m", "memory": "70Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": _mounts({"options": folder, "scratch": SCRATCH}),
    }
    spec: Json = {
        **control_plane_only(LEAVES_AFTER),
        "containers": [container],
        "enableServiceLinks": False,
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": CONTROLLER,
        "terminationGracePeriodSeconds": 30,
        "volumes": [
            {"name": "options", "configMap": {"name": CONTROLLER}},
            {"name": "scratch", "emptyDir": {}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(),
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": dict(LABELS)},
            "template": {"metadata": {"labels": dict(LABELS)}, "spec": spec},
        },
    }


NOBODY: Final = 65534
SCRATCH: Final = "/tmp"  # noqa: S108 - the pod's own: certificates are read from files there


def _mounts(places: dict[str, str]) -> Sequence[Json]:
    return [
        {"name": name, "mountPath": path, "readOnly": name != "scratch"}
        for name, path in places.items()
    ]


def _metadata() -> Json:
    return {"name": CONTROLLER, "namespace": METAL3, "labels": dict(LABELS)}


def _probe(path: str, *, every: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": HEALTH_PORT},
        "periodSeconds": every,
        "failureThreshold": failures,
        "timeoutSeconds": 10,
    }
