"""What the objects of metal3 in the cluster are called; they are all in one namespace."""

from __future__ import annotations

from typing import Final

from ingot.kube.kind import Kind, ObjectKey
from ingot.metal3.api.provisioning import DEFINITION, Provisioning
from ingot.metal3.api.reading import read_stored
from ingot.metal3.api.wire import GROUP, VERSION
from ingot.metal3.pod.manifest import NAME as METAL3
from ingot.metal3.pod.operating import NAMESPACE

__all__ = [
    "AUTHORITY",
    "BOOTSTRAP",
    "CONFIG_SERVER",
    "CONFIG_SERVER_CA",
    "CONTROLLER",
    "CONTROLLER_LEASE",
    "CREDENTIALS",
    "DAEMON_SETS",
    "DEPLOYMENTS",
    "IMAGES",
    "IMAGES_LABELS",
    "INGRESS",
    "INGRESS_CA",
    "METAL3_KEY",
    "NAMESPACE",
    "NODES",
    "OPTIONS_FILE",
    "PAUSED_BY",
    "PODS",
    "POINTER_KEY",
    "PROVISIONING",
    "SECRETS",
    "SERVICES",
]

CONTROLLER: Final = "metal3-controller"
CONTROLLER_LEASE: Final = ObjectKey(NAMESPACE, CONTROLLER)
METAL3_KEY: Final = ObjectKey(NAMESPACE, METAL3)
IMAGES: Final = ObjectKey(NAMESPACE, "metal3-images")
IMAGES_LABELS: Final = {
    "app.kubernetes.io/name": IMAGES.name,
    "app.kubernetes.io/part-of": "ingot",
}
CREDENTIALS: Final = ObjectKey(NAMESPACE, "metal3-ironic")
"""A Secret: Ironic's certificate, its user, and the settings of the pod."""
AUTHORITY: Final = ObjectKey(NAMESPACE, "metal3-ironic-ca")
"""A Secret that no pod has: who signs Ironic's certificate."""

CONFIG_SERVER: Final = ObjectKey("ingot-infra", "ingot-config-server")
"""The Secret of who hands configs out to nodes: in it is the roster of hosts."""
CONFIG_SERVER_CA: Final = ObjectKey("ingot-infra", "ingot-config-server-ca")
"""A Secret that no pod has: who signs the certificate of that server."""
INGRESS: Final = ObjectKey("ingot-ingress", "router-certs-default")
"""The Secret with the certificate of applications that bring none of their own."""
INGRESS_CA: Final = ObjectKey("ingot-ingress", "router-ca")
"""A Secret that no pod has: who signs that certificate."""
POINTER_KEY: Final = ObjectKey(NAMESPACE, "metal3-pointer-key")
"""A Secret that no pod has: what the tokens of hosts that are added later follow from."""

OPTIONS_FILE: Final = "/etc/ingot/metal3-controller/options.json"

BOOTSTRAP: Final = "ingot.local/bootstrap"
"""A label of the bootstrap VM's Node, which is there until the hand-over is complete."""
PAUSED_BY: Final = "ingot-bootstrap"
"""What the paused annotation says of hosts that wait for the hand-over, and for nothing else."""

DAEMON_SETS: Final = Kind.untyped("apps", "v1", "DaemonSet", "daemonsets")
DEPLOYMENTS: Final = Kind.untyped("apps", "v1", "Deployment", "deployments")
NODES: Final = Kind.untyped("", "v1", "Node", "nodes", namespaced=False)
PODS: Final = Kind.untyped("", "v1", "Pod", "pods")
PROVISIONING: Final = Kind(
    group=GROUP,
    version=VERSION,
    kind=Provisioning.__name__,
    plural=DEFINITION.plural,
    namespaced=False,
    read=lambda raw: read_stored(Provisioning, raw),
)
SECRETS: Final = Kind.untyped("", "v1", "Secret", "secrets")
SERVICES: Final = Kind.untyped("", "v1", "Service", "services")
