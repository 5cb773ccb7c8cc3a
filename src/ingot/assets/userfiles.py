"""Files that a person wrote or changed: looked at before a machine has to find out."""

from __future__ import annotations

import json
from collections.abc import Iterator

import yaml

from ingot.errors import InstallConfigError

__all__ = ["UserFileError", "check"]


class UserFileError(InstallConfigError):
    """A file of the install directory cannot be used as it is."""

    def __init__(self, path: str, why: str, *, line: int = 0) -> None:
        place = f"{path}:{line}" if line else path
        super().__init__(
            f"{place} cannot be used: {why}",
            remedy="correct it, or move it away; `ingot graph` tells which files are made",
        )
        self.path = path
        self.line = line


def check(path: str, content: bytes) -> None:
    """Check that a file has the form that its name promises.

    Raises:
        UserFileError: it has not.
    """
    if path.startswith("manifests/"):
        _check_manifest(path, content)
    elif path.endswith((".ign", ".json")):
        _check_json(path, content)


def _check_manifest(path: str, content: bytes) -> None:
    try:
        for line, document in _documents(content.decode()):
            if document is None:
                continue
            named = isinstance(document, dict) and {"apiVersion", "kind"} <= document.keys()
            if not named:
                raise UserFileError(path, "an object has apiVersion and kind", line=line)
    except UnicodeDecodeError:
        raise UserFileError(path, "it is not UTF-8") from None
    except RecursionError:
        raise UserFileError(path, "it is nested too deeply") from None
    except yaml.MarkedYAMLError as bad:
        mark = bad.problem_mark or bad.context_mark
        line = mark.line + 1 if mark else 0
        raise UserFileError(path, f"it is not YAML: {bad.problem}", line=line) from None
    except (yaml.YAMLError, ValueError) as bad:
        raise UserFileError(path, f"it is not YAML: {str(bad).splitlines()[0]}") from None


def _documents(text: str) -> Iterator[tuple[int, object]]:
    """Return each document with the line that it begins at."""
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield node.start_mark.line + 1, loader.construct_document(node)
    finally:
        loader.dispose()


def _check_json(path: str, content: bytes) -> None:
    try:
        document = json.loads(content)
    except json.JSONDecodeError as bad:
        raise UserFileError(path, f"it is not JSON: {bad.msg}", line=bad.lineno) from None
    except (UnicodeDecodeError, RecursionError):
        raise UserFileError(path, "it is not JSON") from None
    if not isinstance(document, dict):
        raise UserFileError(path, "it is not a JSON object")
    if path.endswith(".ign") and not isinstance(document.get("ignition"), dict):
        raise UserFileError(path, "an Ignition config has a field `ignition`")
