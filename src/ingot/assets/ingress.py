"""The cluster's ingress: a Traefik on each worker, at the node's own ports 80 and 443.

A DaemonSet, so that the ingress VIP finds a router wherever it goes. No disruption budget is made:
draining a node leaves such pods alone, and a node that ends takes its router with it. With workers,
the control plane has one, which gets the VIP only while no worker has a router that is as good.
Without workers each of its nodes has one, and workers that come later have theirs too.

The Ingress object made here has no application. It carries the certificate for `*.apps`, so that a
new one is taken as soon as its Secret is changed, and the route by which a router shows that it
knows the cluster's routes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final

from ingot.assets import traefik
from ingot.assets.documents import Json, yaml_of
from ingot.assets.endpoints import apps_domain
from ingot.assets.graph.files import Files
from ingot.assets.namespaces import INGRESS
from ingot.assets.routerpod import FALLBACK, FILE, NAME, Place, router_pod
from ingot.assets.tls import certificate_path, key_path
from ingot.config.model import InstallConfig
from ingot.metal3.cluster.names import INGRESS as SECRET
from ingot.metal3.cluster.names import INGRESS_CA

__all__ = ["CERTIFICATE", "CERTIFICATE_PATH", "PATH", "ingress"]

PATH: Final = "manifests/35-ingress.yaml"
CERTIFICATE_PATH: Final = "manifests/36-ingress-certificate.yaml"

CERTIFICATE: Final = SECRET.name
"""The Secret with the certificate for `*.apps`."""
AUTHORITY: Final = "ingress-ca"
"""The ConfigMap with the authority that signed it."""

LABELS: Final = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "ingot"}
COMPONENT: Final = "app.kubernetes.io/component"
"""Tells the pods of the DaemonSet from those of the Deployment."""
RBAC: Final = "rbac.authorization.k8s.io"
RULES: Final = (
    # Secrets have the certificates that Ingresses name. Traefik watches those of all namespaces.
    {"apiGroups": [""], "resources": ["nodes", "secrets", "services"], "verbs": ["list", "watch"]},
    {
        "apiGroups": ["discovery.k8s.io"],
        "resources": ["endpointslices"],
        "verbs": ["list", "watch"],
    },
    {
        "apiGroups": ["networking.k8s.io"],
        "resources": ["ingressclasses", "ingresses"],
        "verbs": ["list", "watch"],
    },
    {"apiGroups": ["networking.k8s.io"], "resources": ["ingresses/status"], "verbs": ["update"]},
)


def ingress(config: InstallConfig, files: Files, *, image: str) -> Files:
    """Return the manifests.

    Args:
        config: the cluster.
        files: the authority of ingress, and the certificate that it signed.
        image: with Traefik as its entry point.
    """
    ports = traefik.Ports()
    objects = (
        _object("v1", "ServiceAccount"),
        _object(f"{RBAC}/v1", "ClusterRole") | {"rules": list(RULES)},
        _object(f"{RBAC}/v1", "ClusterRoleBinding")
        | {
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": f"ingot-{NAME}"},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": INGRESS}],
        },
        _class(),
        _object("v1", "ConfigMap") | {"data": {FILE: traefik.dynamic_yaml()}},
        _object("v1", "ConfigMap", name=AUTHORITY)
        | {"data": {"ca.crt": files[certificate_path("ingress-ca")].decode()}},
        _service(ports),
        _own_ingress(config, ports),
        *_routers(config, image, ports),
    )
    return {PATH: yaml_of(*objects), CERTIFICATE_PATH: yaml_of(*_certificates(files))}


def _class() -> Json:
    found = _object("networking.k8s.io/v1", "IngressClass", name=traefik.CLASS)
    found["metadata"]["annotations"] = {"ingressclass.kubernetes.io/is-default-class": "true"}
    return found | {"spec": {"controller": "traefik.io/ingress-controller"}}


def _service(ports: traefik.Ports) -> Json:
    """Return who the routers are; their addresses are those of their nodes."""
    names = {"http": ports.http, "https": ports.https, traefik.HEALTH: ports.health}
    listed = [{"name": name, "port": port} for name, port in names.items()]
    spec = {"clusterIP": "None", "selector": {**LABELS}, "ports": listed}
    return _object("v1", "Service") | {"spec": spec}


def _own_ingress(config: InstallConfig, ports: traefik.Ports) -> Json:
    found = _object("networking.k8s.io/v1", "Ingress")
    told = "traefik.ingress.kubernetes.io/router"
    found["metadata"]["annotations"] = {
        f"{told}.entrypoints": traefik.HEALTH,
        f"{told}.middlewares": f"{traefik.KNOWS_ROUTES}@file",
        f"{told}.priority": str(traefik.FIRST),
    }
    backend = {"service": {"name": NAME, "port": {"number": ports.health}}}
    path = {"path": "/healthz/ready", "pathType": "Exact", "backend": backend}
    spec = {
        "ingressClassName": traefik.CLASS,
        "tls": [{"hosts": [f"*.{apps_domain(config)}"], "secretName": CERTIFICATE}],
        "rules": [{"http": {"paths": [path]}}],
    }
    return found | {"spec": spec}


def _routers(config: InstallConfig, image: str, ports: traefik.Ports) -> Iterator[Json]:
    has_workers = config.worker_replicas > 0
    place = Place.WORKERS if has_workers else Place.EVERYWHERE
    # The new router is there before the old one is told to end. While both are, either may answer
    # the other's probe, so a new one has to stand for a while.
    rolling = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    yield _object("apps/v1", "DaemonSet") | {
        "spec": {
            **_pods("nodes", router_pod(config, image, ports, place)),
            "updateStrategy": rolling,
            "minReadySeconds": 30,
        }
    }
    if has_workers:
        pod = router_pod(config, image, ports, Place.CONTROL_PLANE)
        yield _object("apps/v1", "Deployment", name=FALLBACK) | {
            "spec": {
                **_pods("control-plane", pod),
                "replicas": 1,
                "strategy": rolling,
                "minReadySeconds": 30,
            }
        }


def _pods(component: str, pod: Json) -> Json:
    """Return the part of a spec that says which pods are made."""
    told = hashlib.sha256(traefik.dynamic_yaml().encode()).hexdigest()
    labels = {**LABELS, COMPONENT: component}
    return {
        "selector": {"matchLabels": {**labels}},
        "template": {
            "metadata": {"labels": {**labels}, "annotations": {"ingot.local/settings": told}},
            "spec": pod,
        },
    }


def _certificates(files: Files) -> tuple[Json, Json]:
    """Return the certificate for applications, and who signs the next one."""
    return _pair(files, "ingress", CERTIFICATE), _pair(files, "ingress-ca", INGRESS_CA.name)


def _pair(files: Files, name: str, secret: str) -> Json:
    pair = {"tls.crt": certificate_path(name), "tls.key": key_path(name)}
    return _object("v1", "Secret", name=secret) | {
        "type": "kubernetes.io/tls",
        "data": {place: base64.b64encode(files[path]).decode() for place, path in pair.items()},
    }


CLUSTER_WIDE: Final = {"ClusterRole", "ClusterRoleBinding", "IngressClass"}


def _object(api_version: str, kind: str, *, name: str = "") -> Json:
    if kind in CLUSTER_WIDE:
        metadata: Json = {"name": name or f"ingot-{NAME}"}
    else:
        metadata = {"name": name or NAME, "namespace": INGRESS}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata | {"labels": {**LABELS}},
    }
