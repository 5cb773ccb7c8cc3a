"""Pointer configs: all that a host is given with its image.

It says where the real config is, whom to trust, and the host's own token. The address is the VIP
itself, so that a host needs no DNS to become a node.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from ingot.assets.endpoints import config_url
from ingot.assets.graph.files import Files
from ingot.assets.ignition import VERSION, data_url, rendered
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.errors import ExitCode, IngotError

__all__ = ["TOKEN_HEADER", "PointerError", "hosts_json", "path_of", "pointers", "token_in"]

TOKEN_HEADER: Final = "X-Ingot-Token"  # noqa: S105 - the name of a header
HOST_HEADER: Final = "X-Ingot-Host"
"""Who asks. It opens nothing: with it the config server can name a host whose token is wrong."""

TOKEN_BYTES: Final = 32


class PointerError(IngotError):
    """A pointer config was changed into something else."""

    exit_code = ExitCode.INSTALL_CONFIG


def path_of(host: str) -> str:
    """Return where the pointer config of a host is."""
    return f"hosts/{host}.ign"


def pointers(config: InstallConfig, files: Files, random: Callable[[int], bytes]) -> Files:
    """Return the pointer config of every host.

    Args:
        config: the hosts and the VIP.
        files: `tls/config-server-ca.crt`.
        random: where tokens come from.
    """
    authority = files["tls/config-server-ca.crt"]
    roles = roster(config)
    return {
        path_of(host.name): _pointer(
            f"{config_url(config)}/config/{'master' if roles.may_lead(host) else 'worker'}",
            host=host.name,
            authority=authority,
            token=urlsafe_b64encode(random(TOKEN_BYTES)).rstrip(b"=").decode(),
        )
        for host in roles.all
    }


def token_in(pointer: bytes) -> str:
    """Return the token of a pointer config, which a person may have changed.

    Raises:
        PointerError: there is none.
    """
    try:
        merged = json.loads(pointer)["ignition"]["config"]["merge"]
        headers = [header for source in merged for header in source.get("httpHeaders", ())]
        return str(next(one["value"] for one in headers if one["name"] == TOKEN_HEADER))
    except (ValueError, LookupError, TypeError, AttributeError, StopIteration) as error:
        raise PointerError(
            f"a pointer config has no {TOKEN_HEADER} header",
            remedy="delete the file in hosts/ to have it made anew",
        ) from error


def hosts_json(config: InstallConfig, files: Files) -> bytes:
    """Return what the config server knows of hosts: names, roles, and what their tokens hash to.

    Args:
        config: the hosts.
        files: their pointer configs.

    Raises:
        PointerError: one has no token.
    """
    roles = roster(config)
    known: list[Mapping[str, Any]] = [
        {
            "name": host.name,
            "role": "control-plane" if roles.may_lead(host) else "worker",
            "tokenSha256": sha256(token_in(files[path_of(host.name)]).encode()).hexdigest(),
        }
        for host in roles.all
    ]
    return (json.dumps({"hosts": known}, indent=2) + "\n").encode()


def _pointer(url: str, *, host: str, authority: bytes, token: str) -> bytes:
    headers = [{"name": TOKEN_HEADER, "value": token}, {"name": HOST_HEADER, "value": host}]
    source = {"source": url, "httpHeaders": headers}
    return rendered(
        {
            "ignition": {
                "version": VERSION,
                "config": {"merge": [source]},
                "security": {"tls": {"certificateAuthorities": [{"source": data_url(authority)}]}},
            }
        }
    )
