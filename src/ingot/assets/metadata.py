"""Who a cluster is: metadata.json, and the identity in it that outlives every other change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from ingot.assets.graph.files import Files
from ingot.config.model import InstallConfig

__all__ = ["IDENTITY", "PATH", "identity", "metadata"]

PATH: Final = "metadata.json"
IDENTITY: Final = "identity.json"

NAME_CHARACTERS: Final = 21
SUFFIX_CHARACTERS: Final = 5
ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""As Kubernetes makes up names: no vowels, so no words; nothing that looks like another."""


def identity(config: InstallConfig, random: Callable[[int], bytes]) -> Files:
    """Return what tells this cluster from every other, also from one of the same name.

    Args:
        config: what the cluster is called.
        random: where the rest comes from.
    """
    name = re.sub(r"[^a-z0-9]+", "-", config.metadata.name.lower())[:NAME_CHARACTERS].rstrip("-")
    suffix = "".join(ALPHABET[byte % len(ALPHABET)] for byte in random(SUFFIX_CHARACTERS))
    found = {
        "clusterID": str(UUID(bytes=random(16), version=4)),
        "infraID": f"{name}-{suffix}",
    }
    return {IDENTITY: _rendered(found)}


def metadata(config: InstallConfig, files: Files) -> Files:
    """Return metadata.json, by which a cluster is found again to be destroyed.

    Args:
        config: what the cluster is called, and where its bootstrap VM is.
        files: its identity.
    """
    found = {
        "clusterName": config.metadata.name,
        "baseDomain": config.base_domain,
        **json.loads(files[IDENTITY]),
        "baremetal": {"libvirtURI": config.baremetal.libvirt_uri},
    }
    return {PATH: _rendered(found)}


def _rendered(content: Mapping[str, object]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()
