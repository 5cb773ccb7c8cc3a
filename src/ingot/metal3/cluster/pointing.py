"""How a host that is added later finds its config: a pointer config, and its token in the roster.

A host's token follows from its name and a key that only the controller has. So nothing has to be
remembered between making the pointer and entering its digest: what both should be can be said at
any time, and whatever is lost or does not fit is made again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from ingot.metal3.pod.podspec import LABELS

__all__ = [
    "ADDED_BY",
    "HOST_HEADER",
    "IGNITION",
    "TOKEN_HEADER",
    "Role",
    "added_in",
    "correction",
    "pointer",
    "roster",
    "token_of",
]

IGNITION: Final = "3.3.0"
TOKEN_HEADER: Final = "X-Ingot-Token"  # noqa: S105 - the name of a header
HOST_HEADER: Final = "X-Ingot-Host"
ADDED_BY: Final = "metal3-controller"
"""Marks the hosts of the roster that are ours to remove."""

Json = dict[str, Any]


class Role(StrEnum):
    """What a host becomes, as the roster has it."""

    CONTROL_PLANE = "control-plane"
    WORKER = "worker"


def token_of(host: str, *, key: bytes) -> str:
    """Return a host's token, which nobody can guess who has not the key."""
    made = hmac.digest(key, b"ingot config token\0" + host.encode(), "sha256")
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


def pointer(url: str, *, host: str, authority: str, token: str) -> str:
    """Return a host's pointer config; what the host becomes is in the roster alone.

    Args:
        url: of the config server, without a path.
        host: who asks.
        authority: who signed its certificate, in PEM form.
        token: the host's own.
    """
    packed = base64.b64encode(authority.encode()).decode()
    source = {
        "source": f"{url}/config/node",
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


def correction(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Json | None:
    """Return what makes a Secret the one that it should be.

    Args:
        found: the Secret as it is.
        wanted: as it would be made now.

    Returns:
        None where it fits, or has not the labels of ours: then it is somebody's own.
    """
    labels = found["metadata"].get("labels") or {}
    data = found.get("data") or {}
    if not LABELS.items() <= labels.items():
        return None
    if wanted["metadata"]["labels"].items() <= labels.items() and (
        wanted["data"].items() <= data.items()
    ):
        return None
    seen = {"resourceVersion": found["metadata"]["resourceVersion"]}
    return {
        "metadata": {**seen, "labels": wanted["metadata"]["labels"]},
        "data": wanted["data"],
    }


def added_in(text: str) -> tuple[str, ...]:
    """Return the names of those hosts of a roster that were added later.

    Raises:
        ValueError: it is no roster.
    """
    return tuple(str(one["name"]) for one in _listed(text) if one.get("by") == ADDED_BY)


def roster(text: str, hosts: Mapping[str, Role], *, key: bytes) -> str | None:
    """Return hosts.json with all hosts in it, and without those of ours that are gone.

    Args:
        text: as it is.
        hosts: all that there are, and what each becomes. Those of the install stay as they are.
        key: what tokens follow from.

    Returns:
        None where it is as it should be.

    Raises:
        ValueError: it is no roster.
    """
    listed = _listed(text)
    installed = [one for one in listed if one.get("by") != ADDED_BY]
    theirs = {one["name"] for one in installed}
    ours = [
        {
            "name": name,
            "role": role.value,
            "tokenSha256": hashlib.sha256(token_of(name, key=key).encode()).hexdigest(),
            "by": ADDED_BY,
        }
        for name, role in sorted(hosts.items())
        if name not in theirs
    ]
    found = [*installed, *ours]
    return None if found == listed else json.dumps({"hosts": found}, indent=2) + "\n"


def _listed(text: str) -> list[Mapping[str, Any]]:
    try:
        listed: list[Mapping[str, Any]] = json.loads(text)["hosts"]
        if not all(one["name"] for one in listed):
            raise ValueError("hosts.json has a host without a name")
    except (KeyError, TypeError) as error:
        raise ValueError(f"hosts.json has no {error}") from error
    return listed
