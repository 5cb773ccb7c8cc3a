"""Parts of the install-config: what an asset may read, and what tells a changed part.

An asset is shown a config that has nothing but the parts it says it reads. Whoever reads more gets
an AttributeError the first time, and not an asset that is out of date the second time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TypeAlias, TypeVar, cast

from ingot.assets.graph.files import Digest, digest_of
from ingot.config.model import InstallConfig
from ingot.config.model.section import Section, yaml_name
from ingot.config.secret import Secret

__all__ = ["changed", "digest", "fields", "only"]

Tree: TypeAlias = "dict[str, Tree | None]"
"""What is kept: names, each with what is kept below it, or None for all of it."""

T = TypeVar("T")


def only(config: InstallConfig, paths: Iterable[str]) -> InstallConfig:
    """Return a config that has only some parts, such as `platform.baremetal.hosts.name`.

    Raises:
        ValueError: there is no such part.
    """
    tree: Tree = {}
    for path in sorted(paths):
        *above, last = path.split(".")
        branch: Tree | None = tree
        for name in above:
            branch = None if branch is None else branch.setdefault(name, {})
        if branch is not None:  # Else all of it is kept already: shorter paths come first.
            branch[last] = None
    return _pruned(config, tree)


def digest(value: object) -> Digest:
    """Return what tells a config, or parts of one, from any other; a secret by what it is now."""
    return digest_of(json.dumps(_plain(value), sort_keys=True).encode())


def fields(config: InstallConfig) -> dict[str, Digest]:
    """Return the digest of each field that has a value, by its path; the items of a list too."""
    return {
        path: digest(value)
        for path, value in _leaves(_plain(config), "")
        if value not in (None, "", [])
    }


def changed(before: Mapping[str, Digest], after: Mapping[str, Digest]) -> list[str]:
    """Return the paths of the fields that are not the same."""
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )


def _pruned(value: T, tree: Tree | None) -> T:
    if isinstance(value, tuple):
        return cast("T", tuple(_pruned(item, tree) for item in value))
    if tree is None or not isinstance(value, Section):
        return value
    names = {yaml_name(name): name for name in type(value).model_fields}
    if unknown := tree.keys() - names.keys():
        raise ValueError(f"{type(value).__name__} has no {', '.join(sorted(unknown))}")
    pruned = type(value).model_construct()
    kept = {names[name]: below for name, below in tree.items()}
    content = {name: _pruned(getattr(value, name), below) for name, below in kept.items()}
    pruned.__dict__.clear()
    pruned.__dict__.update(content)
    return cast("T", pruned)


def _plain(value: object) -> object:  # noqa: PLR0911 - one line a kind
    """Return a value as JSON has it."""
    match value:
        case None | bool() | int() | float():
            return value
        case Enum():
            return value.value
        case str():
            return value
        case Secret():
            return value.reveal()
        case Section():
            present = value.__dict__
            return {yaml_name(name): _plain(content) for name, content in present.items()}
        case Mapping():
            return {str(name): _plain(content) for name, content in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case IPv4Address() | IPv6Address() | IPv4Network() | IPv6Network():
            return str(value)
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value))
        return {name: _plain(getattr(value, name)) for name in names}
    raise TypeError(f"a {type(value).__name__} has no digest")


def _leaves(value: object, path: str) -> Iterable[tuple[str, object]]:
    if isinstance(value, dict) and value:
        for name, content in value.items():
            yield from _leaves(content, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path, value
