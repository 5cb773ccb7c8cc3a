"""The credentials of a registry, from a Secret as Kubernetes has them for pulling images.

Ironic takes `user:password`. Upstream hands it the same in base64, which Ironic 39 takes for a
password without a user, and a registry then refuses.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

import msgspec

from ingot.metal3.operator.hostdata import Mistake
from ingot.metal3.operator.secrets import Secret

__all__ = ["is_oci", "pull_secret"]

SCHEME: Final = "oci://"
CONFIG: Final = ".dockerconfigjson"
OLD_CONFIG: Final = ".dockercfg"
PLAIN: Final = ("username", "password")


def is_oci(url: str) -> bool:
    """Whether an image is in a registry."""
    return url.lower().startswith(SCHEME)


def pull_secret(secret: Secret, image_url: str) -> str:
    """Return the credentials for the registry of an image.

    Raises:
        Mistake: there are none for it, or they cannot be read. The message shows nothing of them.
    """
    if all(name in secret.data for name in PLAIN):
        user, password = (secret.text(name) for name in PLAIN)
        if not user or not password:
            raise Mistake(f"Secret {secret.key} has an empty or unreadable user name or password")
        return f"{user}:{password}"
    reference = image_url[len(SCHEME) :]
    registry = reference.partition("/")[0]
    entry = _entry(_entries(secret), reference)
    if entry is None:
        raise Mistake(f"Secret {secret.key} has no entry for the registry {registry}")
    found = _credentials(entry)
    if found is None:
        raise Mistake(
            f"Secret {secret.key} has no user name and password for the registry {registry}"
        )
    return found


def _entries(secret: Secret) -> dict[str, Any]:
    key = next((key for key in (CONFIG, OLD_CONFIG) if key in secret.data), None)
    if key is None:
        raise Mistake(
            f"Secret {secret.key} has none of the keys `{CONFIG}`, `{OLD_CONFIG}`,"
            " or `username` with `password`"
        )
    try:
        said = msgspec.json.decode(secret.data[key])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Mistake(f"Secret {secret.key}, key `{key}`, is no JSON") from None
    entries = said.get("auths") if key == CONFIG and isinstance(said, dict) else said
    if not isinstance(entries, dict):
        raise Mistake(f"Secret {secret.key}, key `{key}`, has no entries of registries")
    return entries


def _entry(entries: dict[str, Any], reference: str) -> Any:  # noqa: ANN401 - whatever somebody wrote
    """Return the entry whose name says most of where the image is."""
    best, length = None, 0
    for name, entry in entries.items():
        place = _place(name)
        if place and f"{reference}/".startswith(f"{place}/") and len(place) > length:
            best, length = entry, len(place)
    return best


def _place(name: str) -> str:
    """Return an entry's name without scheme and version, which old files have."""
    place = name.partition("://")[2] or name
    for version in ("/v1", "/v2"):
        place = place.rstrip("/").removesuffix(version)
    return place.rstrip("/")


def _credentials(entry: Any) -> str | None:  # noqa: ANN401 - as above
    if not isinstance(entry, dict):
        return None
    user, password = entry.get("username"), entry.get("password")
    if isinstance(user, str) and isinstance(password, str) and user and password:
        return f"{user}:{password}"
    try:
        both = base64.b64decode(entry.get("auth") or "", validate=True).decode().rstrip("\0")
    except (binascii.Error, TypeError, ValueError):
        return None
    user, _, password = both.partition(":")
    return both if user and password else None
