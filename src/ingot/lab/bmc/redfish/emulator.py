"""sushy-tools' emulator, made to speak for any BMC of the lab.

It is one Flask application, made when its module is imported, whose views reach their drivers by
properties of its class. So it is given a class of ours with other drivers. Around its views are:
views that it lacks, a few in place of its own, and what is changed in what they answer. Nothing of
it is copied, and nothing in it is patched but the table of views, which is Flask's to change.
"""

from __future__ import annotations

import functools
import json
import logging
import warnings
from collections.abc import Callable
from http import HTTPStatus

import flask
from flask.logging import default_handler

from ingot.errors import IngotError
from ingot.lab.bmc.redfish import drivers, vmedia
from ingot.lab.bmc.redfish.amendments import AMENDMENTS, amended
from ingot.lab.bmc.redfish.biosattributes import registry_document
from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.bootoverride import asked
from ingot.lab.bmc.redfish.managerviews import manager_views
from ingot.lab.bmc.redfish.refusal import Refused, error_document, error_text
from ingot.lab.bmc.redfish.sessionservice import session_service
from ingot.lab.bmc.redfish.taskservice import begin_insertion, task_service, wants_task

with warnings.catch_warnings():
    # The emulator imports WebOb, and that a module which Python is about to drop.
    warnings.simplefilter("ignore", DeprecationWarning)
    from sushy_tools.emulator import main

__all__ = ["emulator"]

Answer = flask.Response | tuple[str, HTTPStatus]


class LabApplication(main.Application):  # type: ignore[misc] # sushy-tools has no types
    """The emulator with drivers that ask the BMC at hand."""

    systems = drivers.Systems()
    chassis = drivers.Boxes()
    indicators = drivers.Indicators()
    storage = drivers.Storage()
    drives = drivers.Drives()
    volumes = drivers.Volumes()
    vmedia = vmedia.VirtualMedia()
    managers = drivers.Managers(main.app.config, main.app.logger, systems, chassis)


@functools.cache
def emulator() -> flask.Flask:
    """Return the application; there is one."""
    app: flask.Flask = main.app
    app.__class__ = LabApplication
    # What it logs of a request may have passwords in it; our own log has a line for each.
    app.logger.setLevel(logging.WARNING)
    app.logger.removeHandler(default_handler)
    for blueprint in (manager_views, session_service, task_service):
        app.register_blueprint(blueprint)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(IngotError, _failed)
    app.after_request(_amend)
    app.after_request(_explain)
    app.view_functions["bios_registry"] = _bios_registry
    _instead(app, "system_resource", "PATCH", _change_system)
    _instead(app, "VirtualMedia.virtual_media_insert", "POST", _insert_later)
    return app


def _instead(
    app: flask.Flask, endpoint: str, method: str, view: Callable[..., Answer | None]
) -> None:
    """Have a view of ours asked before the emulator's, which answers when ours returns None."""
    theirs = app.view_functions[endpoint]

    @functools.wraps(theirs)
    def choose(**where: str) -> flask.Response:
        ours = view(**where) if flask.request.method == method else None
        return app.make_response(app.ensure_sync(theirs)(**where) if ours is None else ours)

    app.view_functions[endpoint] = choose


def _change_system(identity: str) -> Answer:
    """Set the boot override and the light.

    The emulator's own view knows only overrides that stay.
    """
    LabApplication.systems.uuid(identity)
    changes = flask.request.get_json()
    boot = changes.get("Boot") if isinstance(changes, dict) else None
    light = changes.get("IndicatorLED") if isinstance(changes, dict) else None
    if not isinstance(boot, dict) and light is None:
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            "only Boot and IndicatorLED can be set",
            message_id="PropertyNotWritable",
        )
    if isinstance(boot, dict):
        settings = here().chassis.boot_settings()
        here().change_boot(asked(boot, settings, here().nvram.memory))
    if light is not None:
        LabApplication.indicators.set_indicator_state(identity, light)
    return "", HTTPStatus.NO_CONTENT


def _insert_later(identity: str, device: str) -> flask.Response | None:
    LabApplication.vmedia.get_device_name(identity, device)
    return begin_insertion() if wants_task() else None


def _bios_registry() -> dict[str, object]:
    return registry_document(flask.request.path)


def _refused(refusal: Refused) -> flask.Response:
    answer = flask.jsonify(error_document(refusal.message, message_id=refusal.message_id))
    answer.status_code = refusal.status
    answer.headers.update(refusal.headers)
    return answer


def _failed(problem: IngotError) -> flask.Response:
    return _refused(Refused(HTTPStatus.INTERNAL_SERVER_ERROR, problem.what))


def _amend(answer: flask.Response) -> flask.Response:
    """Lay over the emulator's document what is so for the BMC at hand."""
    change = AMENDMENTS.get(flask.request.endpoint or "")
    reads = flask.request.method in {"GET", "HEAD"}
    if change is not None and reads and answer.status_code == HTTPStatus.OK:
        document = amended(answer.get_json(), change(**(flask.request.view_args or {})))
        answer.set_data(json.dumps(document))
    return answer


def _explain(answer: flask.Response) -> flask.Response:
    """Give every error the document of the standard, and every answer the headers of it."""
    answer.headers["OData-Version"] = "4.0"
    answer.headers["Cache-Control"] = "no-store"
    if answer.status_code >= HTTPStatus.BAD_REQUEST:
        said = answer.get_json(silent=True)
        error = said.get("error") if isinstance(said, dict) else None
        if not isinstance(error, dict):
            message = answer.get_data(as_text=True).strip()
        elif any("Message" in info for info in error.get("@Message.ExtendedInfo", ())):
            return answer
        else:
            message = str(error.get("message"))
        missing = answer.status_code == HTTPStatus.NOT_FOUND
        kind = "ResourceNotFound" if missing else "GeneralError"
        answer.set_data(error_text(message or answer.status, message_id=kind))
        answer.content_type = "application/json"
    return answer
