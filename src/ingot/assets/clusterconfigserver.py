"""The config server on the control plane's nodes, for all who join after the bootstrap VM is gone.

It is given by a Secret what the VM's was given by files, except the cluster's authorities: their
keys are on every control-plane node, and are put into its config there. So they are not in the
API's store.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ingot.assets.documents import Json, yaml_of
from ingot.assets.endpoints import api_url
from ingot.assets.graph.files import Files
from ingot.assets.kubernetespki import FOLDER as PKI
from ingot.assets.namespaces import INFRA
from ingot.assets.nodeconfig import control_plane_config, worker_config
from ingot.assets.payload import Payload
from ingot.assets.pointer import hosts_json
from ingot.assets.rights import Rule, account, bound
from ingot.config.model import InstallConfig
from ingot.configserver.completing import FOLDER, GIVEN
from ingot.configserver.options import PORT
from ingot.configserver.pod import NAME
from ingot.metal3.cluster.names import CONFIG_SERVER_CA
from ingot.metal3.cluster.renewing import certificate_annotation
from ingot.metal3.pod.manifest import CONTROL_PLANE

__all__ = ["PATH", "SECRET_PATH", "cluster_config_server", "config_server_secret"]

PATH: Final = "manifests/43-config-server.yaml"
SECRET_PATH: Final = "manifests/42-config-server-secret.yaml"  # noqa: S105 - a path
TOKENS: Final = "kube-system"
ACCOUNT_CA: Final = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
SCRATCH: Final = "/tmp"  # noqa: S108 - the pod's own: certificates are read from files there
LABELS: Final = {
    "app.kubernetes.io/name": NAME,
    "app.kubernetes.io/part-of": "ingot",
    "app.kubernetes.io/component": "node",  # the VM's own is another
}


def config_server_secret(config: InstallConfig, payload: Payload, files: Files) -> Files:
    """Return what the config server serves, and with what.

    Args:
        config: the cluster.
        payload: what it runs.
        files: of the install directory: `tls/` and `hosts/`.
    """
    content = {
        "tls.crt": files["tls/config-server.crt"],
        "tls.key": files["tls/config-server.key"],
        "ca.crt": files["tls/config-server-ca.crt"],
        "hosts.json": hosts_json(config, files),
        "control-plane.ign": without_authorities(control_plane_config(config, payload, files)),
        "worker.ign": worker_config(config, payload),
    }
    secret: Json = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(),
        "type": "Opaque",
        "stringData": {name: one.decode() for name, one in content.items()},
    }
    authority = {name: files[f"tls/config-server-ca.{name[4:]}"] for name in ("tls.crt", "tls.key")}
    signer: Json = {
        **secret,
        "metadata": {**_metadata(), "name": CONFIG_SERVER_CA.name},
        "stringData": {name: one.decode() for name, one in authority.items()},
    }
    return {SECRET_PATH: yaml_of(secret, signer)}


def without_authorities(ignition: bytes) -> bytes:
    """Return a config without the cluster's authorities and keys."""
    config: dict[str, Any] = json.loads(ignition)
    kept = [one for one in config["storage"]["files"] if not one["path"].startswith(f"{PKI}/")]
    config["storage"]["files"] = kept
    return json.dumps(config).encode()


def cluster_config_server(config: InstallConfig, payload: Payload, files: Files) -> Files:
    """Return the config server on every control-plane node, and what it may do.

    Args:
        config: the cluster.
        payload: what it runs.
        files: `tls/config-server.crt`; another one replaces the pods.
    """
    tokens: tuple[Rule, ...] = (("", ("secrets",), ("create", "list", "delete")),)
    reports: tuple[Rule, ...] = (("", ("configmaps",), ("create", "patch")),)
    who = (NAME, INFRA)
    rights = (
        account(*who),
        *bound(NAME, TOKENS, tokens, account=who),
        *bound(NAME, INFRA, reports, account=who),
    )
    served = certificate_annotation(files["tls/config-server.crt"])
    return {PATH: yaml_of(*rights, _daemon_set(config, payload, served))}


def _daemon_set(config: InstallConfig, payload: Payload, served: dict[str, str]) -> Json:
    platform = config.baremetal
    told = {
        "INGOT_CONFIG_FOLDER": FOLDER,
        "INGOT_CONFIG_PORT": str(PORT),
        "INGOT_API_SERVER": api_url(config),
        "INGOT_VIPS": ",".join(map(str, (*platform.api_vips, *platform.ingress_vips))),
        "INGOT_CLUSTER_CA": ACCOUNT_CA,
    }
    spec: Json = {
        "serviceAccountName": NAME,
        "hostNetwork": True,
        # Nodes ask it for what they need to join, so it does not wait for the cluster's DNS.
        "dnsPolicy": "Default",
        "enableServiceLinks": False,
        "nodeSelector": dict(CONTROL_PLANE),
        "priorityClassName": "system-node-critical",
        "securityContext": {"runAsUser": 0, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationGracePeriodSeconds": 10,
        "tolerations": [{"operator": "Exists"}],
        "initContainers": [
            {
                "name": "complete",
                **_container(payload.onprem, "complete"),
                "volumeMounts": [
                    {"name": "given", "mountPath": GIVEN, "readOnly": True},
                    {"name": "pki", "mountPath": PKI, "readOnly": True},
                    {"name": "folder", "mountPath": FOLDER},
                ],
            }
        ],
        "containers": [
            {
                "name": "config-server",
                **_container(payload.onprem),
                "env": [{"name": name, "value": value} for name, value in told.items()],
                "ports": [{"name": "https", "containerPort": PORT, "hostPort": PORT}],
                "startupProbe": _probe(failures=30, every=2),
                "livenessProbe": _probe(failures=6, every=10),
                "volumeMounts": [
                    {"name": "given", "mountPath": GIVEN, "readOnly": True},
                    {"name": "folder", "mountPath": FOLDER, "readOnly": True},
                    {"name": "scratch", "mountPath": SCRATCH},
                ],
            }
        ],
        "volumes": [
            {"name": "given", "secret": {"secretName": NAME, "defaultMode": 0o400}},
            {"name": "pki", "hostPath": {"path": PKI, "type": "Directory"}},
            {"name": "folder", "emptyDir": {"medium": "Memory"}},
            {"name": "scratch", "emptyDir": {"medium": "Memory"}},
        ],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": _metadata(),
        "spec": {
            "selector": {"matchLabels": dict(LABELS)},
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}},
            "template": {
                "metadata": {"labels": dict(LABELS), "annotations": served},
                "spec": spec,
            },
        },
    }


def _container(image: str, *more: str) -> Json:
    return {
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["ingot-node", "configserver", *more],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _metadata() -> Json:
    return {"name": NAME, "namespace": INFRA, "labels": dict(LABELS)}


def _probe(*, failures: int, every: int) -> Json:
    return {
        "httpGet": {"scheme": "HTTPS", "port": PORT, "path": "/healthz"},
        "failureThreshold": failures,
        "periodSeconds": every,
        "timeoutSeconds": 5,
    }
