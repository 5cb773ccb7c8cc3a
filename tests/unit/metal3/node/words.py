"""Answers in a few words, so that a table of them can be read."""

from __future__ import annotations

from typing import Any

from ingot.metal3.node import calls
from ingot.metal3.node.progress import Act, Done, Failed, Waiting


def said(progress: Any) -> str:  # noqa: ANN401 - any answer
    """Return what an answer is: done, wait, failed, stuck (no retry helps), or its calls."""
    match progress:
        case Done():
            return "done"
        case Waiting():
            assert progress.doing
            assert progress.seconds > 0
            return "wait"
        case Failed():
            assert progress.why
            return "failed" if progress.retryable else "stuck"
        case Act():
            assert progress.doing
            assert progress.calls
            return "+".join(map(_word, progress.calls)) + ("!" if progress.begins else "")
    raise AssertionError(progress)


def _word(call: calls.Call) -> str:
    match call:
        case calls.Ask():
            return str(call.verb)
        case calls.SetPower():
            return str(call.target).replace("power ", "").replace(" ", "-")
        case _:
            return {
                calls.CreateNode: "create",
                calls.PatchNode: "patch",
                calls.CreatePort: "port",
                calls.DeletePort: "unport",
                calls.Validate: "validate",
                calls.Deploy: "deploy",
                calls.Clean: "clean",
                calls.Service: "service",
                calls.WantRaid: "raid",
                calls.SetMaintenance: "hold",
                calls.ClearMaintenance: "free",
                calls.DeleteNode: "delete",
            }[type(call)]
