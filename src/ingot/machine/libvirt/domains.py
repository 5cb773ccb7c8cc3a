"""The domains of one owner: found, read, and asked for their state."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.machine.driver import MachineError, NoSuchMachine
from ingot.machine.libvirt.domain import domain_name
from ingot.machine.libvirt.record import Record, read_record
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import Power

__all__ = ["Domains"]

OFF = ("shut off", "crashed")
USUAL = ("", "booted", "destroyed", "shutdown", "unknown", "unpaused")
"""How a machine comes to be on or off without anything to tell about it."""


@dataclass(frozen=True, slots=True)
class Domains:
    """All of them."""

    virsh: Virsh
    owner: str

    def name(self, machine: str) -> str:
        """Return the name of a machine's domain."""
        return domain_name(self.owner, machine)

    def machines(self) -> tuple[str, ...]:
        """Return the names of all machines."""
        prefix = self.name("")
        machines = [one.removeprefix(prefix) for one in self._all() if one.startswith(prefix)]
        # Another owner's name may begin like ours; what the domain keeps decides.
        return tuple(sorted(one for one in machines if self._read(one, "--inactive") is not None))

    def find(self, machine: str) -> Record | None:
        """Return what is known of a machine, if there is one.

        Raises:
            MachineError: its domain's name is taken by a domain that is not ours.
        """
        if self.name(machine) not in self._all():
            return None
        record = self._read(machine, "--inactive")
        if record is None:
            raise MachineError(
                f"{self.virsh.uri} has a domain {self.name(machine)} that is not of {self.owner}",
                remedy="rename that domain, or use another name",
            )
        return record

    def record(self, machine: str) -> Record:
        """Return what is known of a machine.

        Raises:
            NoSuchMachine: nothing is.
        """
        record = self.find(machine)
        if record is None:
            raise NoSuchMachine(machine)
        return record

    def started_as(self, machine: str) -> Record:
        """Return a running machine as it was when it was started."""
        return self._read(machine) or self.record(machine)

    def power(self, machine: str) -> Power:
        """Return whether a machine is powered."""
        state = self.virsh("domstate", self.name(machine)).strip()
        return Power.OFF if state in OFF else Power.ON

    def activity(self, machine: str) -> str:
        """Return a machine's state in libvirt's words, and how it came to it if that is unusual."""
        said = self.virsh("domstate", self.name(machine), "--reason").strip()
        state, _, reason = said.removesuffix(")").partition(" (")
        state = "off" if state in OFF else state
        return state if reason in USUAL else f"{state}: {reason}"

    def start(self, machine: str) -> None:
        """Power a machine on."""
        self.virsh("start", self.name(machine))

    def stop(self, machine: str) -> None:
        """Pull the plug; nothing where it is off."""
        if self.power(machine) is Power.ON:
            self.ask(machine, "destroy")

    def ask(self, machine: str, verb: str, *words: str) -> None:
        """Have something done to a running machine, which may be off by then."""
        self.virsh.unless(
            lambda: self.power(machine) is Power.OFF, verb, self.name(machine), *words
        )

    def _all(self) -> list[str]:
        return self.virsh("list", "--all", "--name").split()

    def _read(self, machine: str, *words: str) -> Record | None:
        return read_record(self.virsh.xml("dumpxml", self.name(machine), *words), self.owner)
