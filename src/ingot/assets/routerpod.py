"""The pod of a router: on which nodes it runs, with which rights, and how it is asked after.

It is on the node's own network, since the VIP is an address of the node, and since what comes from
outside then keeps the address that it comes from.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from ingot.assets import traefik
from ingot.assets.documents import Json
from ingot.assets.endpoints import API_PORT
from ingot.config.model import InstallConfig

__all__ = ["FALLBACK", "FILE", "NAME", "Place", "placement", "router_pod"]

NAME: Final = "router-default"
"""Of its DaemonSet too, so that its pods begin with it: by that a node's monitor knows them."""

FALLBACK: Final = f"{NAME}-control-plane"
"""The Deployment for when there are no workers; its pods begin with the same word."""

FOLDER: Final = "/etc/traefik"
FILE: Final = "dynamic.yaml"
"""What Traefik reads, as the ConfigMap calls it."""

END_SECONDS: Final = traefik.ACCEPT_SECONDS + traefik.FINISH_SECONDS + 15
"""What kubelet gives it to end: a little more than it gives itself."""

CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"
BOOTSTRAP: Final = "ingot.local/bootstrap"
LOST: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
LOST_SECONDS: Final = 30
"""Until the one router of the control plane is started on another node: usually it is 5 minutes."""


class Place(Enum):
    """On which nodes a router may be; never on the bootstrap VM."""

    WORKERS = auto()
    CONTROL_PLANE = auto()
    EVERYWHERE = auto()


def router_pod(config: InstallConfig, image: str, ports: traefik.Ports, place: Place) -> Json:
    """Return the pod.

    Args:
        config: the cluster.
        image: with Traefik as its entry point.
        ports: where it listens.
        place: on which nodes it may be.
    """
    platform = config.baremetal
    vip = str(platform.ingress_vips[0])
    container: Json = {
        "name": "traefik",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "args": traefik.arguments(vip, f"{FOLDER}/{FILE}", ports),
        # By the VIP, which a dead API server leaves within a second.
        "env": [
            {"name": "KUBERNETES_SERVICE_HOST", "value": str(platform.api_vips[0])},
            {"name": "KUBERNETES_SERVICE_PORT", "value": str(API_PORT)},
        ],
        # Ports are not listed: the scheduler would keep a new router from a node with an old one.
        "livenessProbe": _probe("/healthz", ports, every=10),
        "readinessProbe": _probe("/healthz/ready", ports, every=2),
        "resources": {"requests": {"cpu": "50m", "memory": "96Mi"}},
        # Of root's rights only the one to low ports is left, and only root keeps that one.
        "securityContext": {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "settings", "mountPath": FOLDER, "readOnly": True}],
    }
    return {
        "serviceAccountName": NAME,
        "hostNetwork": True,
        "dnsPolicy": "Default",
        "enableServiceLinks": False,
        "priorityClassName": "system-cluster-critical",
        "terminationGracePeriodSeconds": END_SECONDS,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        **placement(place),
        "containers": [container],
        "volumes": [{"name": "settings", "configMap": {"name": NAME}}],
    }


def placement(place: Place) -> Json:
    """Return the part of a pod that says on which nodes it runs."""
    wanted = [{"key": BOOTSTRAP, "operator": "DoesNotExist"}]
    tolerated: list[Json] = []
    if place is Place.WORKERS:
        wanted.append({"key": CONTROL_PLANE, "operator": "DoesNotExist"})
    else:
        tolerated.append({"key": CONTROL_PLANE, "operator": "Exists", "effect": "NoSchedule"})
    if place is Place.CONTROL_PLANE:
        wanted.append({"key": CONTROL_PLANE, "operator": "Exists"})
        tolerated += (
            {
                "key": key,
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": LOST_SECONDS,
            }
            for key in LOST
        )
    return {
        **({"tolerations": tolerated} if tolerated else {}),
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": wanted}]
                }
            }
        },
    }


def _probe(path: str, ports: traefik.Ports, *, every: int) -> Json:
    return {
        "httpGet": {"host": "127.0.0.1", "port": ports.health, "path": path},
        "periodSeconds": every,
        "timeoutSeconds": 5,
        "failureThreshold": 6,
    }
