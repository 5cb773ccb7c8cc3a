"""One BMC: a chassis, its accounts and sessions, and what it remembers.

The emulator is one application for all hosts. Which BMC a request is for is decided by the address
it came in on, and kept in a context variable while it is answered.
"""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from pathlib import Path

from ingot.errors import IngotError
from ingot.lab.bmc.lockout import Lockout
from ingot.lab.bmc.redfish.bios import Bios
from ingot.lab.bmc.redfish.bootoverride import Change, Enabled, with_first
from ingot.lab.bmc.redfish.drive import Insertion, VirtualDrive
from ingot.lab.bmc.redfish.holds import Holds
from ingot.lab.bmc.redfish.nvram import Continuous, Nvram
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.bmc.redfish.sessions import Sessions
from ingot.lab.bmc.redfish.tasks import Tasks
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.machine.model import BootSource

__all__ = ["Bmc", "here", "speaking_for"]

_current: ContextVar[Bmc] = ContextVar("bmc")


class Bmc:
    """The BMC of one host."""

    def __init__(
        self,
        chassis: Chassis,
        *,
        faults: FaultBook,
        home: Path,
        restarted: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.chassis = chassis
        self.plan = chassis.plan
        self.faults = faults
        self.nvram = Nvram(home / "bmc" / f"{self.plan.name}.json")
        self.sessions = Sessions()
        self.lockout = Lockout()
        self.bios = Bios(chassis, self.nvram)
        chassis.add_observer(lambda _: self.bios.started())
        self.drive = VirtualDrive(
            chassis, self.nvram, faults=faults, folder=home / "media" / self.plan.name
        )
        self.tasks = Tasks()
        self.holds = Holds()
        self._restarted = restarted

    @property
    def system_id(self) -> str:
        """What the system is called in paths; the manager has the same name."""
        return self.plan.uuid

    @property
    def chassis_id(self) -> str:
        """What the chassis is called in paths."""
        return str(uuid.uuid5(uuid.UUID(self.plan.uuid), "chassis"))

    @property
    def service_id(self) -> str:
        """The UUID of the service itself."""
        return str(uuid.uuid5(uuid.UUID(self.plan.uuid), "service"))

    def struck(self, kind: FaultKind) -> Fault | None:
        """Count an occasion of a fault; return it if this one is struck."""
        return self.faults.strikes(self.plan.name, kind)

    def has(self, kind: FaultKind) -> bool:
        """Return whether a fault is set, without counting."""
        return self.faults.present(self.plan.name, kind) is not None

    def admits(self, user: str, password: str) -> bool:
        """Return whether these are the credentials, in a time that does not tell how wrong."""
        name = hmac.compare_digest(user.encode(), self.plan.bmc.username.encode())
        word = hmac.compare_digest(password.encode(), self.plan.bmc.password.encode())
        return name and word

    def change_boot(self, change: Change) -> None:
        """Set the boot override and mode.

        Raises:
            Refused: the host cannot have that mode, or the image cannot be had.
        """
        if change.mode is not None and change.mode is not self.chassis.boot_settings().mode:
            try:
                self.chassis.set_boot_mode(change.mode)
            except IngotError as e:
                raise Refused(HTTPStatus.BAD_REQUEST, e.what) from e
        if change.enabled is None:
            return
        if change.http_boot_uri is not None:
            self.drive.insert(Insertion(url=change.http_boot_uri))
        if change.enabled is Enabled.CONTINUOUS and change.source is not None:
            self.chassis.set_boot_once(None)
            self._boot_always(change.source)
        else:
            self.chassis.set_boot_once(change.source)
        if change.enabled is Enabled.DISABLED:
            self._boot_as_before()
        self.nvram.remember(http_boot_uri=change.http_boot_uri)

    def restart(self) -> None:
        """Start the BMC itself over: whoever was logged in is not any more; the host runs on."""
        self.sessions.close_all()
        self.lockout.forget()
        self._restarted(self.plan.name)

    def _boot_always(self, source: BootSource) -> None:
        order = self.chassis.boot_settings().order
        stays = self.nvram.memory.continuous
        held = stays is not None and order[:1] == (stays.source,)
        before = stays.before if stays is not None and held else order
        self.chassis.set_boot_order(with_first(before, source))
        self.nvram.remember(continuous=Continuous(source=source, before=before))

    def _boot_as_before(self) -> None:
        stays = self.nvram.memory.continuous
        if stays is None:
            return
        if self.chassis.boot_settings().order[:1] == (stays.source,):
            self.chassis.set_boot_order(stays.before)
        self.nvram.remember(continuous=None)


@contextmanager
def speaking_for(bmc: Bmc) -> Iterator[None]:
    """Have `here` return a BMC inside."""
    token = _current.set(bmc)
    try:
        yield
    finally:
        _current.reset(token)


def here() -> Bmc:
    """Return the BMC that the request at hand is for."""
    return _current.get()
