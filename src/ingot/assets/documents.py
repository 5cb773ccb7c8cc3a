"""Objects as YAML that people can read and change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import yaml

__all__ = ["Json", "yaml_of"]

Json: TypeAlias = dict[str, Any]
"""An object as JSON data."""


def yaml_of(*objects: Mapping[str, Any]) -> bytes:
    """Return objects as one file; texts of several lines stand as they are."""
    text: str = yaml.dump_all(
        objects, Dumper=_Readable, sort_keys=False, allow_unicode=True, width=100
    )
    return text.encode()


class _Readable(yaml.SafeDumper):
    """Writes no anchors, and texts of several lines as blocks."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Readable.add_representer(str, _text)
