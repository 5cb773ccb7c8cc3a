"""The config server's static pod, as the bootstrap VM runs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ingot.configserver.options import PORT

__all__ = ["NAME", "manifest"]

NAME: Final = "ingot-config-server"
NAMESPACE: Final = "ingot-infra"
FOLDER: Final = "/etc/ingot/configserver"
CLUSTER_CA: Final = "/etc/kubernetes/pki/ca.crt"
ADMIN: Final = "/etc/kubernetes/admin.conf"


SCRATCH = "/tmp"  # noqa: S108 - the pod's own: certificates are read from files there


def manifest(image: str, *, api_server: str, vips: Iterable[str], kubeconfig: str = ADMIN) -> str:
    """Return the pod as YAML.

    Args:
        image: one that has `ingot-node`.
        api_server: the address of the API as nodes reach it, with the VIP.
        vips: all of the cluster.
        kubeconfig: the file on the machine that the API is reached with.
    """
    import yaml  # noqa: PLC0415 - the server itself has no use for it

    mounts = {"files": FOLDER, "cluster-ca": CLUSTER_CA, "kubeconfig": kubeconfig}
    environment = {
        "INGOT_CONFIG_FOLDER": FOLDER,
        "INGOT_CONFIG_PORT": str(PORT),
        "INGOT_API_SERVER": api_server,
        "INGOT_VIPS": ",".join(vips),
        "INGOT_CLUSTER_CA": CLUSTER_CA,
        "KUBECONFIG": kubeconfig,
    }
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "ingot"},
        },
        "spec": {
            "hostNetwork": True,
            "priorityClassName": "system-node-critical",
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 10,
            "tolerations": [{"operator": "Exists"}],
            "containers": [
                {
                    "name": "config-server",
                    "image": image,
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["ingot-node", "configserver"],
                    "env": [{"name": name, "value": said} for name, said in environment.items()],
                    "ports": [{"name": "https", "containerPort": PORT, "hostPort": PORT}],
                    "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "capabilities": {"drop": ["ALL"]},
                        "readOnlyRootFilesystem": True,
                    },
                    "startupProbe": _probe(failures=30, every=2),
                    "livenessProbe": _probe(failures=6, every=10),
                    "volumeMounts": [
                        *(
                            {"name": name, "mountPath": path, "readOnly": True}
                            for name, path in mounts.items()
                        ),
                        {"name": "scratch", "mountPath": SCRATCH},
                    ],
                }
            ],
            "volumes": [
                *(
                    {
                        "name": name,
                        "hostPath": {
                            "path": path,
                            "type": "Directory" if path == FOLDER else "File",
                        },
                    }
                    for name, path in mounts.items()
                ),
                {"name": "scratch", "emptyDir": {"medium": "Memory"}},
            ],
        },
    }
    text: str = yaml.safe_dump(pod, sort_keys=False)
    return text


def _probe(*, failures: int, every: int) -> dict[str, Any]:
    return {
        "httpGet": {"scheme": "HTTPS", "port": PORT, "path": "/healthz"},
        "failureThreshold": failures,
        "periodSeconds": every,
        "timeoutSeconds": 5,
    }
