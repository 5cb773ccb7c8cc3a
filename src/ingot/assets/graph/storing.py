"""The state as the content of one file: written whole, and known again only if it is whole."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from ingot.assets.graph.files import Digest, Files, digest_of
from ingot.assets.graph.state import Record, State

__all__ = ["NewerState", "StateDamaged", "decoded", "encoded"]

FORMAT: Final = 1


class StateDamaged(ValueError):  # noqa: N818 - it says what was seen
    """This is not a state, or not all of one."""


class NewerState(ValueError):  # noqa: N818 - it says what was seen
    """A later version of Ingot has written this."""


def encoded(state: State) -> bytes:
    """Return a state as it is kept: a line that says what the rest is, and the rest."""
    content = {
        "records": {
            name: {"inputs": record.inputs, "files": _packed(record.files)}
            for name, record in state.records.items()
        },
        "left": {path: sorted(digests) for path, digests in state.left.items()},
        "used": {name: dict(digests) for name, digests in state.used.items()},
        "config": _text(state.config),
        "fields": dict(state.fields),
    }
    body = json.dumps(content, indent=1, sort_keys=True).encode()
    head = {"format": FORMAT, "sha256": digest_of(body)}
    return json.dumps(head).encode() + b"\n" + body + b"\n"


def decoded(data: bytes) -> State:
    """Return the state that was kept.

    Raises:
        StateDamaged: it is not what was written.
        NewerState: it is of a form that we do not know.
    """
    first, _, body = data.partition(b"\n")
    try:
        head = json.loads(first)
        version, digest = int(head["format"]), str(head["sha256"])
    except (ValueError, KeyError, TypeError) as bad:
        raise StateDamaged("its first line says nothing") from bad
    if version > FORMAT:
        raise NewerState(f"it has format {version}, and this version knows {FORMAT}")
    if digest != digest_of(body.removesuffix(b"\n")):
        raise StateDamaged("its content is not what was written")
    return _state(json.loads(body))


def _state(content: Mapping[str, Any]) -> State:
    return State(
        records={
            name: Record(Digest(one["inputs"]), _unpacked(one["files"]))
            for name, one in content["records"].items()
        },
        left={path: frozenset(map(Digest, some)) for path, some in content["left"].items()},
        used={name: _digests(files) for name, files in content["used"].items()},
        config=b64decode(content["config"]),
        fields=_digests(content["fields"]),
    )


def _digests(content: Mapping[str, str]) -> dict[str, Digest]:
    return {path: Digest(digest) for path, digest in content.items()}


def _packed(files: Files) -> dict[str, str]:
    return {path: _text(content) for path, content in files.items()}


def _unpacked(files: Mapping[str, str]) -> Files:
    return {path: b64decode(content) for path, content in files.items()}


def _text(content: bytes) -> str:
    return b64encode(content).decode()
