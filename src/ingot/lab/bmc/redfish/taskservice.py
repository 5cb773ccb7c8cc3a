"""Following work that goes on: tasks, and the monitors that stand in for its answer."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

import flask

from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.lab.bmc.redfish.tasks import Task
from ingot.lab.bmc.redfish.vmedia import insertion

__all__ = ["begin_insertion", "task_service", "wants_task"]

TASKS = "/redfish/v1/TaskService/Tasks"
MONITORS = "/redfish/v1/TaskService/TaskMonitors"

task_service = flask.Blueprint("TaskService", __name__, url_prefix="/redfish/v1/TaskService")


def wants_task() -> bool:
    """Return whether the client of this request would rather not wait."""
    words = flask.request.headers.get("Prefer", "").lower().replace(",", " ").split()
    return "respond-async" in words


def begin_insertion() -> flask.Response:
    """Put an image into the drive, after having answered."""
    asked = flask.request.get_json()
    wanted = insertion(asked if isinstance(asked, dict) else {})
    drive = here().drive
    task = here().tasks.begin(
        "Insert media", lambda progress: drive.insert(replace(wanted, progress=progress))
    )
    # Without the task in it: sushy would take the task for its monitor, and be told it is over.
    return _accepted(task, flask.Response())


@task_service.get("/Tasks")
def collection() -> dict[str, object]:
    """List what goes on, and what has lately."""
    members = [{"@odata.id": f"{TASKS}/{task.number}"} for task in here().tasks.all()]
    return {
        "@odata.id": TASKS,
        "@odata.type": "#TaskCollection.TaskCollection",
        "Name": "Task Collection",
        "Members": members,
        "Members@odata.count": len(members),
    }


@task_service.get("/Tasks/<number>")
def one(number: str) -> dict[str, object]:
    """Describe a task."""
    return _document(_found(number))


@task_service.get("/TaskMonitors/<number>")
def monitor(number: str) -> flask.Response:
    """Answer as the request itself would have, once that can be said."""
    task = _found(number)
    if task.ended is None:
        return _accepted(task, flask.jsonify(_document(task)))
    if task.refusal is not None:
        raise task.refusal
    return flask.Response(status=HTTPStatus.NO_CONTENT)


def _accepted(task: Task, answer: flask.Response) -> flask.Response:
    answer.status_code = HTTPStatus.ACCEPTED
    answer.headers["Location"] = f"{MONITORS}/{task.number}"
    answer.headers["Retry-After"] = "1"
    return answer


def _found(number: str) -> Task:
    task = here().tasks.find(number)
    if task is None:
        raise Refused(
            HTTPStatus.NOT_FOUND, f"there is no task {number}", message_id="ResourceNotFound"
        )
    return task


def _document(task: Task) -> dict[str, object]:
    document: dict[str, object] = {
        "@odata.id": f"{TASKS}/{task.number}",
        "@odata.type": "#Task.v1_7_1.Task",
        "Id": task.number,
        "Name": task.name,
        "TaskState": task.state,
        "TaskStatus": "OK" if task.refusal is None else "Critical",
        "PercentComplete": task.percent,
        "StartTime": task.started.isoformat(timespec="seconds"),
        "TaskMonitor": f"{MONITORS}/{task.number}",
        "Messages": [],
    }
    if task.ended is not None:
        document["EndTime"] = task.ended.isoformat(timespec="seconds")
    if task.refusal is not None:
        document["Messages"] = [
            {"MessageId": task.refusal.message_id, "Message": task.refusal.message}
        ]
    return document
