"""A program: sushy-tools' emulator as the BMCs of many servers, with a record of their orders.

All are reached by one address, and told apart by their system's UUID. It takes any user name: hosts
of a site have one each, so that Ironic keeps as many sessions as there would be BMCs.

    python -m tests.operator_site.emulator PORT COUNT RECORD

`PUT /slow/UUID/SECONDS` makes one system slow; `GET /systems` shows the power of all.
"""

from __future__ import annotations

import copy
import json
import logging
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import flask
from werkzeug.serving import WSGIRequestHandler, make_server

with warnings.catch_warnings():
    # The emulator imports WebOb, and that a module which Python is about to drop.
    warnings.simplefilter("ignore", DeprecationWarning)
    from sushy_tools import error
    from sushy_tools.emulator import main, memoize
    from sushy_tools.emulator.resources.systems.base import AbstractSystemsDriver
    from sushy_tools.emulator.resources.vmedia import StaticDriver

ADDRESS = "127.0.0.1"
SYSTEMS = uuid.UUID("8c9a5c3e-0d64-4a53-b7a4-3c3a1f9be3d1")
LIVE_ISO = "/images/live.iso"
ISO_BYTES = bytes(64 * 1024)
OFF = {"ForceOff", "GracefulShutdown", "PushPowerButton"}


def system_uuid(number: int) -> str:
    """Return the UUID of a system, by its number from zero."""
    return str(uuid.uuid5(SYSTEMS, str(number)))


class Systems(AbstractSystemsDriver):  # type: ignore[misc] # sushy-tools has no types
    """Systems that do at once what they are told, and note it."""

    def __init__(self, count: int, record: Path) -> None:
        super().__init__()
        self.delays: dict[str, float] = {}
        self.power = {system_uuid(number): "Off" for number in range(count)}
        self._names = {uuid: f"system-{number}" for number, uuid in enumerate(self.power)}
        self._boot: dict[str, dict[str, Any]] = {uuid: {} for uuid in self.power}
        self._record = record.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()

    @property
    def driver(self) -> str:
        return "<operator-site>"

    @property
    def systems(self) -> list[str]:
        return list(self.power)

    def uuid(self, identity: str) -> str:
        if identity not in self.power:
            raise error.NotFound(f"there is no system {identity}")
        return identity

    def name(self, identity: str) -> str:
        return self._names[self.uuid(identity)]

    def get_power_state(self, identity: str) -> str:
        return self.power[self.uuid(identity)]

    def set_power_state(self, identity: str, state: str) -> None:
        with self._lock:
            before = self.power[self.uuid(identity)]
            after = "Off" if state in OFF else "On"
            self.power[identity] = after
            noted = {"at": time.time(), "system": identity, "action": state, "before": before}
            self._record.write(json.dumps(noted) + "\n")

    def get_boot_device(self, identity: str) -> str:
        device: str = self._boot[self.uuid(identity)].get("device", "Hdd")
        return device

    def set_boot_device(self, identity: str, boot_source: str) -> None:
        self._boot[self.uuid(identity)]["device"] = boot_source

    def get_boot_mode(self, identity: str) -> str:
        mode: str = self._boot[self.uuid(identity)].get("mode", "UEFI")
        return mode

    def set_boot_mode(self, identity: str, boot_mode: str) -> None:
        self._boot[self.uuid(identity)]["mode"] = boot_mode

    def get_secure_boot(self, identity: str) -> bool:
        return bool(self._boot[self.uuid(identity)].get("secure", False))

    def set_secure_boot(self, identity: str, secure: object) -> None:
        self._boot[self.uuid(identity)]["secure"] = secure

    def set_boot_image(self, identity: str, device: str, **image: object) -> None:
        self._boot[self.uuid(identity)][device] = image

    def get_nics(self, identity: str) -> list[dict[str, str]]:
        mac = ":".join(["52", *(self.uuid(identity)[at : at + 2] for at in (0, 2, 4, 6, 9))])
        return [{"id": mac, "mac": mac}]


class Media(StaticDriver):  # type: ignore[misc] # sushy-tools has no types
    """Virtual media that nothing is ever read from, as nothing boots."""

    def _get_image(self, url: str, *_: object) -> tuple[str, str]:
        return url.rpartition("/")[2], ""


class Memory(dict[Any, Any]):
    """What the emulator keeps; its drivers rely on getting copies, as from the database it has."""

    def __getitem__(self, key: object) -> object:
        return copy.deepcopy(super().__getitem__(key))

    def __setitem__(self, key: object, value: object) -> None:
        super().__setitem__(key, copy.deepcopy(value))

    def update(self, entries: Mapping[Any, Any]) -> None:  # type: ignore[override] # the one use
        """Take a copy of each."""
        for key, value in entries.items():
            self[key] = value


class Quiet(WSGIRequestHandler):
    """Keeps connections open as a BMC does, and does not log each request."""

    protocol_version = "HTTP/1.1"

    def log(self, *_: object) -> None:
        """Say nothing."""


def application(systems: Systems) -> flask.Flask:
    """Return the emulator with these systems."""

    class Application(main.Application):  # type: ignore[misc] # sushy-tools has no types
        pass

    app: flask.Flask = main.app
    Application.systems = systems
    Application.vmedia = Media(app.config, app.logger)
    app.__class__ = Application
    app.logger.setLevel(logging.WARNING)

    @app.before_request
    def delay() -> None:
        seconds = systems.delays.get(str((flask.request.view_args or {}).get("identity")), 0)
        if seconds:
            time.sleep(seconds)

    @app.put("/slow/<system>/<float:seconds>")
    def slow(system: str, seconds: float) -> tuple[str, int]:
        systems.delays[systems.uuid(system)] = seconds
        return "", HTTPStatus.NO_CONTENT

    @app.get("/systems")
    def shown() -> dict[str, str]:
        return systems.power

    @app.get(LIVE_ISO)
    def iso() -> flask.Response:
        return flask.Response(ISO_BYTES, mimetype="application/octet-stream")

    return app


def serve(port: int, count: int, record: Path) -> None:
    """Serve until killed."""
    memoize.PersistentDict = Memory
    app = application(Systems(count, record))
    make_server(ADDRESS, port, app, threaded=True, request_handler=Quiet).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
