"""The administrator's kubeconfig: the VIP, the authority, and a certificate, all in one file."""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from ingot.assets.documents import yaml_of
from ingot.assets.endpoints import api_url
from ingot.assets.graph.files import Files
from ingot.config.model import InstallConfig

__all__ = ["PATH", "admin_kubeconfig"]

PATH: Final = "auth/kubeconfig"


def admin_kubeconfig(config: InstallConfig, files: Files) -> Files:
    """Return the kubeconfig.

    Args:
        config: what the cluster is called, and its VIPs.
        files: `tls/ca.crt`, `tls/admin.crt` and `tls/admin.key`.
    """
    name, user = config.metadata.name, "admin"
    cluster = {
        "server": api_url(config),
        "certificate-authority-data": _text(files["tls/ca.crt"]),
    }
    proof = {
        "client-certificate-data": _text(files["tls/admin.crt"]),
        "client-key-data": _text(files["tls/admin.key"]),
    }
    content = yaml_of(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": user, "user": proof}],
            "contexts": [{"name": user, "context": {"cluster": name, "user": user}}],
            "current-context": user,
        }
    )
    return {PATH: content}


def _text(content: bytes) -> str:
    return b64encode(content).decode()
