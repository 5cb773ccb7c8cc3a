"""NTP of the lab's site, as a configuration of chronyd.

It gives out this PC's own time and never sets it.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from ingot.lab.plan import LabPlan

__all__ = ["Chrony", "chrony_of"]


@dataclass(frozen=True, slots=True)
class Chrony:
    """Everything that chronyd is told."""

    address: IPv4Address
    pid_file: Path

    def render(self) -> str:
        """Return its configuration file.

        Stratum 8 is good enough to be followed and gives way to anything better. Who can reach the
        lab's network at all may ask.
        """
        return f"""\
# Written when the lab's daemon starts; changes are lost.
user root
local stratum 8
bindaddress {self.address}
allow all
cmdport 0
bindcmdaddress /
pidfile {self.pid_file}
"""


def chrony_of(plan: LabPlan, pid_file: Path) -> Chrony:
    """Return what a lab's chronyd is told."""
    return Chrony(plan.networks.external_gateway, pid_file)
