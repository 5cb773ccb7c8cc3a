"""Every rule about a lab's description, by theme. Importing this registers them all.

A rule looks at the completed outline and nothing else: what the PC can bear is looked at by
`ingot.lab.checks`.
"""

from collections.abc import Iterable

from ingot.lab.rules import faults, general, hosts, networks
from ingot.lab.rules.registry import RULES, LabRule

__all__ = ["LabRule", "every", "faults", "general", "hosts", "networks"]


def every() -> Iterable[LabRule]:
    """Return every rule, in the order of their ids."""
    return sorted(RULES.values(), key=lambda rule: int(rule.id[1:]))
