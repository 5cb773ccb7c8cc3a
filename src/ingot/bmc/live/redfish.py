"""A BMC that speaks Redfish, through sushy, as Ironic does it."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeVar

import sushy
import sushy.exceptions
from sushy.auth import SessionOrBasicAuth
from sushy.connector import Connector
from sushy.exceptions import (
    AccessError,
    HTTPError,
    MissingAttributeError,
    ResourceNotFoundError,
    ServerSideError,
    SushyError,
)
from sushy.resources.manager.virtual_media import VirtualMedia
from sushy.resources.system.system import System

from ingot.bmc.live.access import BmcAccess, Power
from ingot.bmc.live.deadline import done_within
from ingot.bmc.live.refusal import (
    BmcRefused,
    BmcUnreachable,
    CertificateUntrusted,
    NoSuchSystem,
    WrongCredentials,
)

__all__ = ["RedfishBmc"]

T = TypeVar("T")

POLL_SECONDS = 0.5
STATES = {sushy.POWER_STATE_ON: Power.ON, sushy.POWER_STATE_OFF: Power.OFF}

# What it has to say is in its errors; without a handler it would say it to the user's terminal.
logging.getLogger("sushy").addHandler(logging.NullHandler())


class RedfishBmc:
    """One server through its BMC; connected at the first call."""

    def __init__(self, access: BmcAccess, *, seconds: float) -> None:
        self._access = access
        self._seconds = seconds
        self._open = ExitStack()
        self._auth = SessionOrBasicAuth(access.username, access.password)
        self._system: System | None = None

    def power(self) -> Power:
        """Return whether the server is powered."""
        return self._call(self._power)

    def power_off(self) -> bool:
        """Pull the plug, and return whether it was on. It is off when this returns."""
        return self._call(self._off)

    def eject_media(self) -> tuple[str, ...]:
        """Take out all virtual media and return which; none where the BMC has no such drives."""
        return self._call(lambda: tuple(self._ejected()))

    def close(self) -> None:
        """Log out. A BMC has few sessions to give, and some keep them for half an hour."""
        with suppress(SushyError, TimeoutError):
            done_within(self._seconds, self._auth.close)
        self._open.close()

    def _call(self, work: Callable[[], T]) -> T:
        address = self._access.address
        try:
            with self._named():
                return done_within(self._seconds, work)
        except TimeoutError:
            raise BmcUnreachable(
                address, f"did not do it within {self._seconds:.0f} seconds"
            ) from None

    @contextmanager
    def _named(self) -> Iterator[None]:
        address = self._access.address
        try:
            yield
        except AccessError as refused:
            raise WrongCredentials(address) from refused
        except ResourceNotFoundError as missing:
            raise NoSuchSystem(address) from missing
        except ServerSideError as failed:
            seen = f"cannot do it now: it answers {failed.status_code}"
            raise BmcUnreachable(address, seen) from failed
        except HTTPError as failed:
            seen = f"answers {failed.status_code}: {failed.detail or 'no reason given'}"
            raise BmcRefused(address, seen) from failed
        except sushy.exceptions.ConnectionError as failed:
            if "certificate" in str(failed).lower():
                raise CertificateUntrusted(address) from failed
            raise BmcUnreachable(address, "cannot be reached") from failed
        except TimeoutError:
            raise
        except (SushyError, LookupError, TypeError, ValueError, AttributeError, OSError) as failed:
            # sushy takes it for granted that an answer is shaped as the standard has it.
            raise BmcRefused(address, f"answers what cannot be understood: {failed}") from failed

    def _found(self) -> System:
        if self._system is None:
            self._system = self._opened()
        return self._system

    def _opened(self) -> System:
        address = self._access.address
        connector = Connector(
            address.origin,
            verify=self._open.enter_context(_trusted(self._access)),
            server_side_retries=1,  # Whoever asked knows better whether to ask again.
            default_request_timeout=self._seconds,
        )
        self._open.callback(connector.close)
        root = sushy.Sushy(address.origin, auth=self._auth, connector=connector)
        # Its end is ours to decide: it would log out whenever it happens to be collected.
        root._auth = None  # noqa: SLF001
        if address.path:
            return root.get_system(address.path)
        paths = tuple(root.get_system_collection().members_identities)
        if len(paths) != 1:
            raise NoSuchSystem(address, paths)
        return root.get_system(paths[0])

    def _power(self) -> Power:
        system = self._found()
        system.refresh(force=True)
        return STATES.get(system.power_state, Power.CHANGING)

    def _off(self) -> bool:
        until = time.monotonic() + self._seconds
        if self._power() is Power.OFF:
            return False
        self._found().reset_system(sushy.RESET_FORCE_OFF)
        while self._power() is not Power.OFF and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        return True

    def _ejected(self) -> Iterator[str]:
        for drive in self._drives():
            if drive.inserted or drive.image:
                name = str(drive.image_name or drive.identity)
                drive.eject_media()
                yield name

    def _drives(self) -> Iterable[VirtualMedia]:
        """Return the drives: newer BMCs have them at the system, older ones at the manager."""
        system = self._found()
        with suppress(MissingAttributeError, ResourceNotFoundError):
            return list(system.virtual_media.get_members())
        drives: list[VirtualMedia] = []
        for manager in system.managers:
            with suppress(MissingAttributeError, ResourceNotFoundError):
                drives += manager.virtual_media.get_members()
        return drives


@contextmanager
def _trusted(access: BmcAccess) -> Iterator[bool | str]:
    """Return whom to trust, as sushy takes it."""
    if not access.verify:
        yield False
    elif access.authorities:
        with NamedTemporaryFile("w", suffix=".pem", encoding="utf-8") as file:
            file.write(access.authorities)
            file.flush()
            yield file.name
    else:
        system = ssl.get_default_verify_paths().cafile
        yield system if system and Path(system).exists() else True
