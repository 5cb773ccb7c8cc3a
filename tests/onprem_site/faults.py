"""What goes wrong at a site, by request, and is right again by request.

Faults of different kinds may be there together. Each is in effect when the call returns.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tests.onprem_site.node import Node
from tests.onprem_site.observation import Split
from tests.onprem_site.process import Process
from tests.onprem_site.sequence import Fault, Kind
from tests.onprem_site.site import BRIDGE, Site
from tests.onprem_site.wire import Wires, rules

BUSY = ("sh", "-c", "while :; do :; done")


@dataclass
class Faults:
    """All faults of a site.

    Attributes:
        site: the site.
        wires: what is wrong with its wires now.
        splits: how the network was split, and when; for whoever judges what was seen.
        happened: the other faults for which it matters when they really began and ended, in
            seconds of the monotonic clock: pauses, delays and losses.
    """

    site: Site
    wires: Wires = field(default_factory=Wires)
    splits: list[Split] = field(default_factory=list)
    happened: list[Fault] = field(default_factory=list)
    _busy: dict[str, Process] = field(default_factory=dict)
    _delaying: dict[str, Process] = field(default_factory=dict)
    _paused: set[tuple[str, str]] = field(default_factory=set)
    _frozen: set[str] = field(default_factory=set)
    _cut: set[str] = field(default_factory=set)

    def kill(self, node: str, program: str) -> None:
        """End a program of a node at once; what the kernel does for it goes on."""
        self.site[node].kill(program)

    def pause(self, node: str, program: str) -> None:
        """Let a program of a node not run; what the kernel does for it goes on."""
        self._begun(Kind.PAUSE, node)
        self.site[node].tell(program, signal.SIGSTOP)
        self._paused.add((node, program))

    def resume(self, node: str, program: str) -> None:
        """Let a program go on, if there is still one that was paused."""
        for pid in self.site[node].pids(program):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self._paused.discard((node, program))
        self._ended(*self._there(Kind.PAUSE, node))

    def freeze(self, node: str) -> None:
        """Let a whole node stand still, kernel and all: nothing is sent and nothing answered."""
        self._change(silent=self.wires.silent | {node})
        self.site[node].group.freeze()
        self._frozen.add(node)

    def thaw(self, node: str) -> None:
        """Let a node go on where it stood, not knowing that time has passed.

        Adverts are first: those that its card has kept while it stood still, and the one that it
        sends before it has read them. Then its processes, and the rest of its wire a moment later.
        The other way round its kernel would answer for a VIP for as long as `nft` takes to end,
        with nobody there who could give way.
        """
        asleep = self.wires.silent - {node}
        self._change(silent=asleep, waking=self.wires.waking | {node})
        self.site[node].group.thaw()
        self._change(waking=self.wires.waking - {node})
        self._frozen.discard(node)

    def power_off(self, node: str) -> None:
        """Take the power from a node: it loses all it runs, its link, and what its kernel knew."""
        self.cut(node)
        self.thaw(node)
        self.feed(node)
        self.site[node].end()
        self._paused = {(name, program) for name, program in self._paused if name != node}
        self._ended(*self._there(Kind.PAUSE, node))
        _forget(self.site[node])

    def power_on(self, node: str) -> None:
        """Give it back; what it runs is started by whoever knows what that is."""
        self.mend(node)

    def cut(self, node: str) -> None:
        """Pull a node's cable: its card sees it."""
        self.site.switch(f"link set {self.site[node].seat.port} down")
        self._cut.add(node)

    def mend(self, node: str) -> None:
        """Plug it in again."""
        self.site.switch(f"link set {self.site[node].seat.port} up")
        self._cut.discard(node)

    def partition(self, *sides: frozenset[str] | set[str]) -> None:
        """Let nodes hear only those on their own side; no card sees it. Nodes on none hear all."""
        found = tuple(map(frozenset, sides))
        self._change(sides=found)
        self.splits.append(Split(time.monotonic(), found))

    def heal(self) -> None:
        """Let all nodes hear each other again."""
        self._change(sides=())
        self.splits.append(Split(time.monotonic()))

    def lose(self, percent: float, *nodes: str) -> None:
        """Let frames be lost by chance, from and to some nodes, or all of them; 0 for none."""
        before = self._there(Kind.LOSS, *nodes)
        for node in nodes or ("",):
            if percent:
                self._begun(Kind.LOSS, node, percent)
        if nodes:
            lost = {**self.wires.lost, **dict.fromkeys(nodes, percent)}
            self._change(lost={name: share for name, share in lost.items() if share})
        else:
            self._change(lost_by_all=percent)
        self._ended(*before)

    def delay(self, seconds: float, *nodes: str, seed: int = 0) -> None:
        """Hold up each frame from and to nodes, by chance for up to that long; 0 for not at all."""
        for node in nodes:
            seat = self.site[node].seat
            before = self._delaying.pop(node, None)
            if before is not None:
                before.kill()
                self.site.switch(f"link set {seat.port} master {BRIDGE}")
                self._ended(*self._there(Kind.DELAY, node))
            if seconds:
                self._begun(Kind.DELAY, node, seconds)
                words = (seat.port, seat.detour, str(seconds), self.site.observer.seat.mac)
                self._delaying[node] = self.site.start_own(
                    "delaying", *words, f"{seed}/{node}", name=f"delaying-{node}"
                )
                self.site.switch(
                    f"link set {seat.port} nomaster", f"link set {seat.detour} master {BRIDGE} up"
                )

    def starve(self, node: str, share: float) -> None:
        """Let a node have only that share of one processor, and something else that wants it."""
        self.site[node].group.limit(share)
        if node not in self._busy:
            self._busy[node] = self.site[node].start(*BUSY, name="busy")

    def feed(self, node: str) -> None:
        """Let a node have as much as it wants."""
        busy = self._busy.pop(node, None)
        self.site[node].group.unlimit()
        if busy is not None:
            busy.kill()

    def jump(self, node: str, seconds: float) -> None:
        """Let a node's clock differ by that much from the others'; the plan has to say clocks."""
        clock = self.site[node].clock
        assert clock is not None, f"{node} has no clock of its own: see Plan.clocks"
        clock.jump(seconds)

    def undo(self) -> None:
        """Let nothing be wrong any more; what has died stays dead."""
        for node in list(self._frozen):
            self.thaw(node)
        self.lose(0, *self.wires.lost)
        self.lose(0)
        if self.wires.sides:
            self.heal()
        for node, program in list(self._paused):
            self.resume(node, program)
        for node in list(self._busy):
            self.feed(node)
        self.delay(0, *self._delaying)
        for node in list(self._cut):
            self.mend(node)
        for found in self.site.nodes.values():
            if found.clock is not None:
                found.clock.jump(0)

    def _begun(self, kind: Kind, node: str = "", value: float = 0) -> None:
        nodes = (node,) if node else ()
        now = time.monotonic()
        self.happened.append(Fault(begin=now, end=math.inf, kind=kind, nodes=nodes, value=value))

    def _ended(self, *faults: Fault) -> None:
        now = time.monotonic()
        for at, fault in enumerate(self.happened):
            if fault in faults and fault.end == math.inf:
                self.happened[at] = replace(fault, end=now)

    def _there(self, kind: Kind, *nodes: str) -> list[Fault]:
        """Return the faults of a kind that nodes have, or all of them together."""
        hit: list[tuple[str, ...]] = [(node,) for node in nodes] or [()]
        return [one for one in self.happened if one.kind is kind and one.nodes in hit]

    def _change(self, **changes: object) -> None:
        self.wires = replace(self.wires, **changes)  # type: ignore[arg-type]
        seats = {name: node.seat for name, node in self.site.nodes.items()}
        text = rules(self.wires, seats, self.site.observer.seat)
        words = ["nsenter", f"--net=/run/netns/{self.site.name}", "nft", "-f", "-"]
        done = subprocess.run(
            words, input=text, check=False, capture_output=True, text=True, timeout=30
        )
        assert done.returncode == 0, f"{done.stderr}\n{text}"


def _forget(node: Node) -> None:
    """Leave a node's kernel with what it has after a start."""
    for vip in node.vips():
        length = 128 if ":" in vip else 32
        node.run("ip", "address", "delete", f"{vip}/{length}", "dev", "eth0")
    node.run("nft", "flush", "ruleset")
    node.run("ip", "neighbour", "flush", "all")
    node.run("find", "/run", "-mindepth", "1", "-delete")
