"""The VIPs of this node: keepalived kept alive, told what it may do, and never left alone.

The kernel answers for an address as long as it is there. So a VIP is taken away whenever keepalived
can no longer be the one who decides: when either of its processes has ended, and when it is frozen.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from ingot.onprem.checking import check_keepalived
from ingot.onprem.files import read_if_there, write_if_changed
from ingot.onprem.interfaces import LocalAddress
from ingot.onprem.keepalived import Keepalived
from ingot.onprem.model import Address, Situation, VipKind
from ingot.onprem.monitor.child import end_now, ended, process_state, reap
from ingot.onprem.monitor.ears import Ears
from ingot.onprem.monitor.notices import Notices
from ingot.onprem.monitor.options import Options
from ingot.onprem.monitor.pulse import LOOK_SECONDS, Pulse
from ingot.onprem.monitor.standing import (
    Notification,
    Standing,
    State,
    View,
    after_notification,
    read_notification,
)
from ingot.onprem.monitor.supervising import Supervised
from ingot.onprem.monitor.urgency import NotUrgentError, make_urgent
from ingot.onprem.vipaddress import held_vips, take_away
from ingot.onprem.vipduty import Duty, write_duty

__all__ = ["Vips"]

log = logging.getLogger(__name__)

PARTING_SECONDS = 0.3
"""How long keepalived's VRRP process has to give up its VIPs itself when its parent has died."""

REAP_SECONDS = 2.0
PID_SECONDS = 0.02


class Vips:
    """This node's part in holding VIPs.

    Attributes:
        standings: how it stands with each VIP, by keepalived's name for it.
        duties: what it may do, by kind of VIP.
        ears: what is heard of others.
        freezes: how often keepalived was found frozen.
    """

    def __init__(self, options: Options) -> None:
        self.standings: dict[str, Standing] = {}
        self.duties: dict[VipKind, Duty] = {}
        self.ears = Ears()
        self.freezes = 0
        self.daemon = Supervised(
            "keepalived",
            if_orphaned="TERM",
            before=self._before,
            begun=_hastened,
            after=self._after,
        )
        self._options = options
        self._run = options.folders.run
        self._config = self._run / "keepalived.conf"
        self._rendered: Keepalived | None = None
        self._situation: Situation | None = None
        self._vrrp = 0
        self._watching: asyncio.Task[None] | None = None
        self._reason = ""
        self._doubted: set[str] = set()
        self._notices = Notices(self._run / "keepalived.fifo", self._told)

    @property
    def vips(self) -> tuple[Address, ...]:
        """The addresses that are ours to take away."""
        cluster = self._options.cluster
        return () if cluster.user_managed_balancer else cluster.all_vips

    async def apply(self, situation: Situation, wanted: Keepalived | None) -> None:
        """Have keepalived do what it is told, or not run at all.

        Raises:
            IngotError: what is wanted was refused, and what was before stays.
        """
        self._situation = situation
        if wanted is None or not wanted.instances:
            if self._rendered is not None:
                self._reason = "this node has no part in holding VIPs now"
                await self.daemon.unwant()
                self._forget()
            return
        if wanted == self._rendered:
            return
        text = wanted.render()
        if read_if_there(self._config) != text or self._rendered is None:
            await asyncio.to_thread(
                check_keepalived, text, program=self._options.program("keepalived")
            )
            write_if_changed(self._config, text)
        known, self._rendered = self._rendered, wanted
        self._follow(wanted)
        if known is None:
            self._reason = ""
            command = wanted.command(self._config)
            self.daemon.want((self._options.program("keepalived"), *command[1:]))
        elif known != wanted:
            log.info("keepalived reads its peers again: %s", _peers(wanted))
            self.daemon.reload()

    def decide(self, kind: VipKind, duty: Duty) -> None:
        """Tell keepalived what this node may do.

        Raises:
            UnwritableError: it goes on by what it was told before.
        """
        path = Keepalived(instances=(), run=self._run).duty_file(kind)
        write_duty(path, duty)
        before, self.duties[kind] = self.duties.get(kind), duty
        if before is None or before.bonus != duty.bonus:
            may = f"with priority {duty.priority}" if duty.may_hold else "not at all"
            log.info("the %s VIP may be held by this node %s: it %s", kind.value, may, duty.reason)

    async def hasten(self) -> None:
        """See to it that keepalived runs in real time.

        Raises:
            NotUrgentError: it may not, and goes on as it does.
        """
        if self._vrrp:
            make_urgent(self._vrrp)

    async def guard(self) -> None:
        """Listen, and look after keepalived's pulse, until cancelled."""
        loop = asyncio.get_running_loop()
        pulse = Pulse()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._situation is not None:
                self.ears.hear(self._situation, loop.time())
            seen = process_state(self._vrrp) if self._vrrp else None
            if seen is None:
                pulse = Pulse()
                continue
            pulse = pulse.after(*seen, holds=self.holds_any, now=loop.time())
            if pulse.is_frozen:
                self.freezes += 1
                log.error(
                    "keepalived has been frozen for %.1f s: it is ended", loop.time() - pulse.alive
                )
                await self._end_at_once("keepalived was frozen")
                pulse = Pulse()

    @property
    def holds_any(self) -> bool:
        """Whether keepalived holds a VIP, by what it said last."""
        return any(one.state is State.MASTER for one in self.standings.values())

    def view(self, standing: Standing) -> View:
        """Return what is known about a VIP now."""
        names: Mapping[Address, str] = {}
        if self._situation is not None:
            names = {at: peer.name for peer in self._situation.peers for at in peer.addresses}
        return View(
            duty=self.duties.get(standing.kind),
            heard=self.ears.last.get(standing.vip),
            earlier=self.ears.earlier.get(standing.vip),
            names=names,
            now=asyncio.get_running_loop().time(),
            reason=self._reason,
        )

    async def compare(self, addresses: Collection[LocalAddress]) -> None:
        """Compare what keepalived said with the addresses that this node has.

        A VIP that keepalived does not hold is taken away; one that it should have and has not is
        a state that was told wrongly, or is changing in this moment: then the next look tells.
        """
        present = {one.address for one in held_vips(addresses, self.vips)}
        doubted = {
            name: one
            for name, one in self.standings.items()
            if (one.vip in present) is not (one.state is State.MASTER)
        }
        for name in self._doubted & set(doubted):
            one = doubted[name]
            state = State.MASTER if one.vip in present else State.BACKUP
            log.warning("VIP %s: keepalived said %s, but this is not so", one.vip, one.state.value)
            self._reason = "as the addresses of this node show"
            self._note(Notification(name, state, one.priority), one)
            self._reason = ""
        self._doubted = set(doubted)
        if present and not self.daemon.runs:
            await asyncio.to_thread(take_away, self.vips)

    async def stop(self) -> None:
        """Give up every VIP in order; keepalived tells the others before it ends."""
        self._reason = "this node's monitor was stopped"
        await self.daemon.unwant()
        await asyncio.to_thread(take_away, self.vips)
        self._notices.take()
        self._notices.close()
        self.ears.close()

    async def _before(self) -> None:
        keepalived = Keepalived(instances=(), run=self._run)
        for path in keepalived.pid_files:
            path.unlink(missing_ok=True)
        taken = await asyncio.to_thread(take_away, self.vips)
        for one in taken:
            log.warning("VIP %s was still on %s, and was taken away", one.address, one.interface)
        self._notices.open()
        self._reason = ""
        self._watching = asyncio.create_task(self._watch_vrrp(keepalived.pid_files[1]))

    async def _watch_vrrp(self, pid_file: Path) -> None:
        """Find keepalived's process that holds the VIPs, and see to it that none outlives it."""
        pid = 0
        while not pid:
            await asyncio.sleep(PID_SECONDS)
            with suppress(ValueError):
                pid = int(read_if_there(pid_file) or "0")
        self._vrrp = pid
        await ended(pid)
        if self._vrrp == pid and self.daemon.runs:
            log.error("keepalived's VRRP process has ended")
            await self._end_at_once("keepalived's VRRP process ended")

    async def _after(self, how: str) -> None:
        """Take its VIPs away: it has ended, and nobody asked it to."""
        if self._vrrp:
            with suppress(TimeoutError):
                await asyncio.wait_for(ended(self._vrrp), PARTING_SECONDS)
        await self._end_at_once(f"keepalived {how}")

    async def _end_at_once(self, why: str) -> None:
        if self._watching is not None and self._watching is not asyncio.current_task():
            self._watching.cancel()
        vrrp, self._vrrp = self._vrrp, 0
        if self.daemon.child is not None:
            self.daemon.child.kill(*([vrrp] if vrrp else []))
        elif vrrp:
            end_now(vrrp)
        taken = await asyncio.to_thread(take_away, self.vips)
        for one in taken:
            log.warning("VIP %s is taken away from %s: %s", one.address, one.interface, why)
        self._forget(why)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended(vrrp), REAP_SECONDS)
        reap(vrrp)

    def _forget(self, why: str = "") -> None:
        """Note that keepalived is nothing any more."""
        self._notices.take()
        self._reason = why or self._reason
        for name, standing in self.standings.items():
            self._note(Notification(name, State.STOPPED, 0), standing)
        if not why:
            self._rendered = None

    def _follow(self, wanted: Keepalived) -> None:
        fresh = {
            one.name: Standing(instance=one.name, kind=one.kind, vip=one.vip)
            for one in wanted.instances
        }
        known = {name: one for name, one in self.standings.items() if name in fresh}
        self.standings = {**fresh, **known}

    def _told(self, line: str) -> None:
        said = read_notification(line)
        standing = self.standings.get(said.instance) if said else None
        if said is None or standing is None:
            return
        if self._situation is not None:
            self.ears.hear(self._situation, asyncio.get_running_loop().time())
        self._note(said, standing)

    def _note(self, said: Notification, before: Standing) -> None:
        after = after_notification(before, said, self.view(before), clock=time.time())
        self.standings[before.instance] = after
        if after.state is before.state:
            return
        what = f"VIP {after.vip} ({after.kind.value})"
        if after.state is State.MASTER:
            log.info("%s: this node holds it now: %s", what, after.cause)
        elif before.state is State.MASTER:
            log.info("%s: it has left this node (%s): %s", what, after.state.value, after.cause)
        else:
            log.info("%s: this node is in %s: %s", what, after.state.value, after.cause)


def _hastened(pid: int) -> None:
    with suppress(NotUrgentError):  # It is said when what it starts is looked after.
        make_urgent(pid)


def _peers(wanted: Keepalived) -> str:
    return ", ".join(sorted({str(peer) for one in wanted.instances for peer in one.peers}))
