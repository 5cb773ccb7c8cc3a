"""What a Secret says, read for a host: texts, and YAML or JSON that describes something.

A mistake is told by the Secret and its key. What is in it is never shown, not even the line that
cannot be read: it may be a password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import yaml

from ingot.errors import IngotError
from ingot.ironic.document import Json
from ingot.metal3.operator.secrets import Secret

__all__ = ["FALLBACK", "Mistake", "described", "meta_data", "text_of"]

FALLBACK: Final = "value"
"""The key that is looked at where there is none of the proper name."""

PARTS: Final = 50_000
DEPTH: Final = 50
"""Limits of YAML: some thousand levels would end the process, as libyaml's own stack does not hold
them, and an alias of aliases of aliases is short and has no end. JSON has neither fault."""


class Mistake(IngotError):  # noqa: N818 - it is an outcome, told to who wrote the Secret
    """What a Secret holds cannot be used."""


def text_of(secret: Secret, key: str) -> str | None:
    """Return a text by its key or the fallback; None if neither is there.

    Raises:
        Mistake: it is no text.
    """
    found = next((name for name in (key, FALLBACK) if name in secret.data), None)
    if found is None:
        return None
    text = secret.text(found)
    if text is None:
        raise Mistake(f"{_place(secret, found)} is no UTF-8 text: encode it anew")
    return text


def described(secret: Secret, key: str) -> dict[str, Json] | None:
    """Return a mapping from YAML or JSON; None where there is nothing.

    Raises:
        Mistake: it is neither, or no mapping.
    """
    text = text_of(secret, key)
    if text is None or not text.strip():
        return None
    place = _place(secret, key if key in secret.data else FALLBACK)
    value = _decoded(text, place)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Mistake(f"{place} is no mapping of names to values")
    budget = _Budget()
    return {str(name): _json(one, place, budget) for name, one in value.items()}


def meta_data(
    said: Mapping[str, Json] | None, *, namespace: str, name: str, uid: str
) -> dict[str, Json]:
    """Return what a server is told of itself; what somebody says takes the place of each key."""
    return {
        "uuid": uid,
        "metal3-namespace": namespace,
        "metal3-name": name,
        "local-hostname": name,
        "local_hostname": name,
        "name": name,
        **(said or {}),
    }


class _Loader(yaml.CSafeLoader):
    """YAML as its version 1.2 has it, where a MAC address is no number to the base of sixty.

    Nor is a date anything but its text: JSON could not say it.
    """


_REPLACED: Final = {f"tag:yaml.org,2002:{name}" for name in ("int", "float", "timestamp")}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"^(?:[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*))$"),
    list("-+0123456789"),
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$"),
    list("-+0123456789."),
)


class _Budget:
    """How many more parts a value may unfold to."""

    def __init__(self) -> None:
        self.left = PARTS


def _decoded(text: str, place: str) -> Any:  # noqa: ANN401 - whatever somebody wrote
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:
        _measure(text, place)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader by inheritance
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f": see line {mark.line + 1}" if mark else ""
        raise Mistake(f"{place} is neither YAML nor JSON{where}") from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        raise Mistake(f"{place} is neither YAML nor JSON") from None


def _measure(text: str, place: str) -> None:
    """Refuse what is too deep or too much before it is made into anything."""
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=yaml.CSafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH or number > PARTS:
            raise Mistake(f"{place} is too deep or too long for YAML: write it as JSON")


def _json(value: Any, place: str, budget: _Budget, depth: int = 0) -> Json:  # noqa: ANN401 - as above
    budget.left -= 1
    if budget.left < 0 or depth > DEPTH:
        raise Mistake(f"{place} unfolds to more than can be told: use fewer aliases")
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(name): _json(one, place, budget, depth + 1) for name, one in value.items()}
        case list():
            return [_json(one, place, budget, depth + 1) for one in value]
        case _:
            raise Mistake(f"{place} has a value that JSON cannot say")


def _place(secret: Secret, key: str) -> str:
    return f"Secret {secret.key}, key `{key}`,"
