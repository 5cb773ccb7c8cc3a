"""A few made-up assets: secrets, what is made of them, and what is gathered."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from ingot.assets.graph.asset import Asset, Inputs, Random, Sources
from ingot.assets.graph.files import Files
from ingot.assets.graph.web import Graph
from ingot.config.model import InstallConfig, Metadata

if TYPE_CHECKING:
    from ingot.assets.payload import Payload

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def make_key(inputs: Inputs) -> Files:
    return {"tls/ca.key": inputs.random(8)}


def make_certificate(inputs: Inputs) -> Files:
    return {"tls/admin.crt": b"signed:" + inputs.files["tls/ca.key"] + inputs.random(4)}


def make_names(inputs: Inputs) -> Files:
    """One file, and another for each letter of the name: files come and go with the config."""
    name = inputs.config.metadata.name
    letters = {f"manifests/letter-{one}.yaml": one.encode() for one in name}
    return {"manifests/names.yaml": f"{name}\n".encode(), **letters}


def make_domain(inputs: Inputs) -> Files:
    return {"manifests/domain.yaml": inputs.config.base_domain.encode()}


def make_inner(inputs: Inputs) -> Files:
    return {"etc/inner": b"|".join(inputs.files.values()) + str(inputs.payload).encode()}


def make_bundle(inputs: Inputs) -> Files:
    lines = [f"{path}={content.hex()}" for path, content in sorted(inputs.files.items())]
    return {"bootstrap.ign": "\n".join(lines).encode()}


ASSETS = (
    Asset(
        name="bundle",
        about="everything",
        make=make_bundle,
        needs=("manifests", "certificate", "inner"),
        places=("bootstrap.ign",),
    ),
    Asset(name="key", about="a secret", make=make_key, places=("tls/ca.key",), lasting=True),
    Asset(
        name="certificate",
        about="signed",
        make=make_certificate,
        needs=("key",),
        places=("tls/admin.crt",),
        lasting=True,
    ),
    Asset(
        name="names",
        about="of the cluster",
        make=make_names,
        reads=("metadata.name",),
        places=("manifests/names.yaml", "manifests/letter-*.yaml"),
    ),
    Asset(
        name="domain",
        about="of the cluster",
        make=make_domain,
        reads=("baseDomain",),
        places=("manifests/domain.yaml",),
    ),
    Asset(
        name="inner",
        about="never shown",
        make=make_inner,
        needs=("domain",),
        places=("etc/inner",),
        shown=False,
        carries=True,
    ),
    Asset(
        name="manifests",
        about="all of them",
        make=None,
        needs=("names", "domain"),
        places=("manifests/*.yaml",),
    ),
)
TARGETS = {"manifests": ("manifests",), "all": ("bundle",)}


def small_graph() -> Graph:
    return Graph(ASSETS, TARGETS)


def counting() -> Random:
    """Return randomness that never repeats, and can be told from any other."""
    numbers = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def sources(
    name: str = "ab",
    domain: str = "example.com",
    *,
    payload: str = "v1",
    maker: str = "1.0",
    random: Random,
) -> Sources:
    return Sources(
        document=f"{name} {domain}".encode(),
        config=InstallConfig(metadata=Metadata(name=name), base_domain=domain),
        payload=cast("Payload", payload),
        random=random,
        now=NOW,
        maker=maker,
    )
