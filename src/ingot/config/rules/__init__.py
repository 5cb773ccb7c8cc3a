"""Every check of a completed config, one file for each theme.

A check is a small function under a rule's id: it takes the config and yields what it finds. Nothing
here touches the world; live checks belong to the installer's preflight.
"""

from collections.abc import Iterable

from ingot.config.registry import RULES, Rule
from ingot.config.rules import (
    bootstrap,
    foreign,
    general,
    hosts,
    mirrors,
    networking,
    pools,
    provisioning,
    proxy,
    staticnetwork,
    trust,
    vips,
)

__all__ = [
    "bootstrap",
    "every",
    "foreign",
    "general",
    "hosts",
    "mirrors",
    "networking",
    "pools",
    "provisioning",
    "proxy",
    "staticnetwork",
    "trust",
    "vips",
]


def every() -> Iterable[Rule]:
    """Return every rule, in the order the themes above are read."""
    return RULES.values()
