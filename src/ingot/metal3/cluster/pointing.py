"""How a host that is added later finds its config: a pointer config, and its token in the roster.

A host's token follows from its name and a key that only the controller has. So nothing has to be
remembered between making the pointer and entering its digest, and neither is ever read back.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["ADDED_BY", "HOST_HEADER", "IGNITION", "TOKEN_HEADER", "pointer", "roster", "token_of"]

IGNITION: Final = "3.3.0"
TOKEN_HEADER: Final = "X-Ingot-Token"  # noqa: S105 - the name of a header
HOST_HEADER: Final = "X-Ingot-Host"
ADDED_BY: Final = "metal3-controller"
"""Marks the hosts of the roster that are ours to remove."""

Json = dict[str, Any]


def token_of(host: str, *, key: bytes) -> str:
    """Return a host's token, which nobody can guess who has not the key."""
    made = hmac.digest(key, b"ingot config token\0" + host.encode(), "sha256")
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


def pointer(url: str, *, host: str, authority: str, token: str) -> str:
    """Return a worker's pointer config.

    Args:
        url: of the config server, without a path.
        host: who asks.
        authority: who signed its certificate, in PEM form.
        token: the host's own.
    """
    packed = base64.b64encode(authority.encode()).decode()
    source = {
        "source": f"{url}/config/worker",
        "httpHeaders": [
            {"name": TOKEN_HEADER, "value": token},
            {"name": HOST_HEADER, "value": host},
        ],
    }
    trusted = [{"source": f"data:;base64,{packed}"}]
    config: Json = {
        "ignition": {
            "version": IGNITION,
            "config": {"merge": [source]},
            "security": {"tls": {"certificateAuthorities": trusted}},
        }
    }
    return json.dumps(config)


def roster(text: str, hosts: Iterable[str], *, key: bytes) -> str | None:
    """Return hosts.json with all hosts in it, and without those of ours that are gone.

    Args:
        text: as it is.
        hosts: the names of all that there are.
        key: what tokens follow from.

    Returns:
        None where it is as it should be.

    Raises:
        ValueError: it is no roster.
    """
    there = set(hosts)
    try:
        listed: list[Mapping[str, Any]] = json.loads(text)["hosts"]
        names = {str(one["name"]) for one in listed}
    except (KeyError, TypeError) as error:
        raise ValueError(f"hosts.json has no {error}") from error
    kept = [one for one in listed if one.get("by") != ADDED_BY or one["name"] in there]
    added = [
        {
            "name": name,
            "role": "worker",
            "tokenSha256": hashlib.sha256(token_of(name, key=key).encode()).hexdigest(),
            "by": ADDED_BY,
        }
        for name in sorted(there - names)
    ]
    if not added and len(kept) == len(listed):
        return None
    return json.dumps({"hosts": [*kept, *added]}, indent=2) + "\n"
