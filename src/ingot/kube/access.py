"""How the API server is reached, and as whom: a kubeconfig, or the service account of a pod.

Reading both is lightkube's work, as are certificates and programs that hand out tokens. A service
account's token is read again when the server no longer takes the one we have: the kubelet puts a
fresh one in its place long before it expires.

Proxies of the environment are ignored: the API of one's own cluster is not behind one.
"""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import httpx2
import msgspec
import yaml
from lightkube.config.client_adapter import user_auth, verify_cluster
from lightkube.config.kubeconfig import SERVICE_ACCOUNT, KubeConfig, SingleConfig
from lightkube.core.exceptions import ConfigError

from ingot.errors import ExitCode, IngotError

__all__ = ["NoAccess", "from_environment", "from_kubeconfig", "from_service_account", "opened"]

IDLE_SECONDS = 90.0
"""How long an unused connection is kept: a lease is renewed within it, so it needs no new one."""

KEPT_CONNECTIONS = 16

DEAD_PEER = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000),
]
"""A machine that lost its power says nothing more: connections to it end within 30 seconds."""


MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError)
"""What reading a file of another shape ends with: lightkube takes its shape for granted."""


class NoAccess(IngotError):  # noqa: N818 - it says what was seen
    """There is nothing to reach an API server with."""

    exit_code = ExitCode.INFRASTRUCTURE


def from_kubeconfig(path: Path, *, context: str = "") -> SingleConfig:
    """Return the access that a kubeconfig describes, in its current or another context.

    Raises:
        NoAccess: the file cannot be used.
    """
    try:
        found = KubeConfig.from_file(path).get(context or None)
    except (ConfigError, OSError, msgspec.MsgspecError, yaml.YAMLError, *MISSHAPEN) as error:
        raise NoAccess(
            f"the kubeconfig {path} cannot be used: {error}",
            remedy="give a file that `kubectl --kubeconfig` takes, with a current context",
        ) from error
    return _usable(found, f"the kubeconfig {path}")


def from_service_account(folder: Path | str = SERVICE_ACCOUNT) -> SingleConfig:
    """Return the access of the pod that we run in.

    Raises:
        NoAccess: we run in none, or it has no service account.
    """
    try:
        found = KubeConfig.from_service_account(folder).get()
    except (ConfigError, OSError, KeyError) as error:
        raise NoAccess(
            f"no service account of a pod: {error}",
            remedy="run inside of a pod, or give a kubeconfig",
        ) from error
    return _usable(found, "the service account")


def from_environment(kubeconfig: Path | None = None) -> SingleConfig:
    """Return the access of a kubeconfig if one is given, else that of the pod.

    Raises:
        NoAccess: neither can be used.
    """
    return from_kubeconfig(kubeconfig) if kubeconfig else from_service_account()


def opened(access: SingleConfig) -> httpx2.AsyncClient:
    """Return one pool of connections to the server; the caller closes it.

    Raises:
        NoAccess: a certificate or key cannot be read.
    """
    try:
        trusted = verify_cluster(access.cluster, access.user, access.abs_file)  # type: ignore[arg-type] # never None, see _usable
        auth = user_auth(access.user)
    except (ConfigError, OSError, ssl.SSLError, ValueError) as error:
        raise NoAccess(
            f"the certificates for {access.cluster.server} cannot be used: {error}",
            remedy="give PEM files, or their base64 text, as `kubectl config view --raw` shows",
        ) from error
    return httpx2.AsyncClient(
        base_url=access.cluster.server,
        auth=auth,
        # Packed listings would cost both sides more time than the network between them.
        headers={
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "ingot",
        },
        timeout=None,  # Each request has its own.
        transport=httpx2.AsyncHTTPTransport(
            verify=trusted,
            limits=httpx2.Limits(
                max_connections=None,  # the client has its own limit, which watches do not count in
                max_keepalive_connections=KEPT_CONNECTIONS,
                keepalive_expiry=IDLE_SECONDS,
            ),
            socket_options=DEAD_PEER,
        ),
    )


def _usable(found: SingleConfig | None, source: str) -> SingleConfig:
    if found is None or found.user is None:
        raise NoAccess(f"{source} names no user", remedy="name a user in the current context")
    return found
