"""The one loop that makes this machine a node: look, decide, do, and say it on the console.

It ends when the machine has joined. It does not give up: nobody is there to start it again, and who
installs the cluster has a limit of its own. Between tries it waits longer and longer, up to a
minute, and every failure is a line on the console and a report to the config server.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ingot.configserver.joinfile import JoinFacts
from ingot.configserver.role import Role
from ingot.configserver.visits import CLOCK
from ingot.errors import IngotError
from ingot.node import patience
from ingot.node.etcd import Etcd
from ingot.node.joining.cause import Cause, cause_of, phase_of
from ingot.node.joining.clearing import Clearing
from ingot.node.joining.clock import Clock, ClockError
from ingot.node.joining.configuration import DISCOVERY_FILE, discovery, join_configuration
from ingot.node.joining.etcdplan import look_up, place_in
from ingot.node.joining.network import own_addresses, reached
from ingot.node.joining.office import Reporter, fresh_facts
from ingot.node.joining.places import Places
from ingot.node.joining.situation import Membership, Seen, Step, next_step
from ingot.node.joining.turn import await_turn
from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.nodeaddress import Choice
from ingot.process import CommandFailed, run

__all__ = ["Joining", "delay"]

FIRST_DELAY: Final = 5.0
LONGEST_DELAY: Final = 60.0
CONFIG_FILE: Final = "join.yaml"


class _Failed(Exception):  # noqa: N818 - an outcome
    def __init__(self, cause: Cause) -> None:
        super().__init__(cause.message)
        self.cause = cause


def delay(failures: int) -> float:
    """Return how long to wait after so many tries that failed."""
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(failures - 1, 10))


@dataclass(slots=True, kw_only=True)
class Joining:
    """Makes one machine a node.

    Attributes:
        places: where things are.
        say: told what goes on, line by line.
        kubeadm: how it is called.
        choose: returns this node's own addresses, once there are some.
        reach: returns when the API can be connected to.
        clearing: clears away what a try left.
        is_uml: whether this machine is a User-Mode Linux.
        clock: sees to it that the clock is right.
        wait: waits for some seconds.
    """

    places: Places
    say: Callable[[str], None]
    clearing: Callable[[Role], Clearing]
    kubeadm: Path = Path("kubeadm")
    choose: Callable[..., Choice] = own_addresses
    reach: Callable[[str, Callable[[str], None]], None] = reached
    is_uml: Callable[[], bool] = lambda: False
    clock: Clock = field(default_factory=Clock)
    wait: Callable[[float], None] = time.sleep
    _facts: JoinFacts = field(init=False)

    def run(self) -> None:
        """Return when this machine has joined.

        Raises:
            JoinFileError: it does not know what to join.
        """
        self._facts = self._read()
        if self.places.stamp.exists():
            self.say(f"{self._facts.name} has joined before")
            return
        with Reporter(self._facts.source) as reporter:
            failures = 0
            while not self._tried(reporter, failures + 1):
                failures += 1
                pause = delay(failures)
                self.say(f"trying again in {pause:.0f} seconds")
                self.wait(pause)

    def _tried(self, reporter: Reporter, number: int) -> bool:
        """Do what is next until this machine has joined; return whether it has."""
        try:
            if self._facts.expires and self._facts.expires < datetime.now(UTC):
                self._renew()
            while (step := next_step(self._look())) is not Step.NOTHING:
                self._do(step, reporter, number)
        except _Failed as failed:
            self._tell_failed(reporter, failed.cause.phase or "join", failed.cause.message)
            if failed.cause.token_refused:
                self._renew()
            return False
        except ClockError as error:
            self._tell_failed(reporter, CLOCK, error.what)
            return False
        except IngotError as error:
            self._tell_failed(reporter, "join", f"{error.what}; {error.remedy}")
            return False
        except OSError as error:
            self._tell_failed(reporter, "join", f"this machine does not do what it has to: {error}")
            return False
        self.say(f"{self._facts.name} has joined")
        reporter.report("joined", f"{self._facts.name} has joined")
        return True

    def _do(self, step: Step, reporter: Reporter, number: int) -> None:
        match step:
            case Step.CLEAR:
                self.say("clearing away what an earlier try left")
                reporter.report("clear", "clearing away what an earlier try left")
                self.clearing(self._facts.role).clear()
            case Step.JOIN:
                if self._facts.role is Role.CONTROL_PLANE:
                    await_turn(self._facts.source, self.say, self.wait)
                self._kubeadm(reporter, number, "join")
                self._stamp()
            case Step.MARK:
                phase = ("join", "phase", "control-plane-join", "mark-control-plane")
                self._kubeadm(reporter, number, *phase)
                self._stamp()
            case Step.WRITE_DOWN:
                self._stamp()
            case Step.NOTHING:
                pass

    def _look(self) -> Seen:
        places, role = self.places, self._facts.role
        control_plane = role is Role.CONTROL_PLANE
        others = [*places.manifests(), *places.written_by_kubeadm(control_plane=control_plane)]
        data = control_plane and places.etcd_data.is_dir() and any(places.etcd_data.iterdir())
        seen = Seen(
            role=role,
            stamped=places.stamp.exists(),
            kubelet_conf=(places.kubernetes / "kubelet.conf").exists(),
            bootstrap_conf=(places.kubernetes / "bootstrap-kubelet.conf").exists(),
            api_manifest=places.manifest("kube-apiserver").exists(),
            etcd_manifest=places.manifest("etcd").exists(),
            leftovers=data or any(path.exists() for path in others),
        )
        return self._with_membership(seen) if seen.etcd_is_to_be_asked else seen

    def _with_membership(self, seen: Seen) -> Seen:
        place = place_in(read_if_there(self.places.manifest("etcd")) or "")
        membership = (
            asyncio.run(look_up(Etcd(self.places.pki / "etcd"), place))
            if place
            else Membership.NONE
        )
        return replace(seen, membership=membership)

    def _kubeadm(self, reporter: Reporter, number: int, *words: str) -> None:
        """Have kubeadm do something, with what it has to be told."""
        facts = self._facts
        choice = self.choose(facts.vips, self.places.chosen_address, self.say)
        self.say(f"node address: {choice.reason}")
        self.reach(facts.api_server, self.say)
        if was_off := self.clock.settled(facts.source, self.say):
            self.say(was_off)
            reporter.report(CLOCK, was_off)
        config = self._written([str(one.address) for one in choice.own])
        self.say(f"joining {facts.api_server} as {facts.name} ({facts.role.value}), try {number}")
        reporter.report("join", f"try {number}, as {choice.own[0].address}")
        lines: list[str] = []

        def heard(line: str) -> None:
            lines.append(line)
            self.say(line)
            if phase := phase_of(line):
                reporter.report(phase, line.partition("] ")[2])

        try:
            run([self.kubeadm, *words, "--config", config], on_line=heard)
        except CommandFailed as error:
            raise _Failed(cause_of(lines)) from error
        finally:
            config.unlink(missing_ok=True)

    def _written(self, addresses: list[str]) -> Path:
        """Write what kubeadm reads, and return where; only root may see it."""
        folder = self.places.run
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_if_changed(folder / DISCOVERY_FILE, discovery(self._facts), mode=0o600)
        uml = self.is_uml()
        if uml:
            patience.write_patches(folder / patience.FOLDER)
        text = join_configuration(self._facts, addresses, folder=folder, uml=uml)
        write_if_changed(folder / CONFIG_FILE, text, mode=0o600)
        return folder / CONFIG_FILE

    def _renew(self) -> None:
        """Get a fresh token, if the config server gives one; else the old one has to do."""
        self.say("asking the config server for a fresh token")
        try:
            fresh = fresh_facts(self._facts.source)
        except IngotError as error:
            self.say(f"no fresh token: {error.what}")
            return
        write_if_changed(self.places.join_file, fresh.text(), mode=0o600)
        self._facts = fresh

    def _tell_failed(self, reporter: Reporter, phase: str, message: str) -> None:
        self.say(f"failed: {message}")
        reporter.report(phase, message, failed=True)

    def _stamp(self) -> None:
        self.places.stamp.parent.mkdir(parents=True, exist_ok=True)
        said = {"name": self._facts.name, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        write_if_changed(self.places.stamp, json.dumps(said) + "\n")

    def _read(self) -> JoinFacts:
        path = self.places.join_file
        return JoinFacts.parse(read_if_there(path) or "", source=str(path))
