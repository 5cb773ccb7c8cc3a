"""Network data put into effect: networkd's files, written where it reads them.

The ramdisk does so with what is on its CD, an installed node with what is on its config drive.
"""

from __future__ import annotations

import json
from pathlib import Path

from ingot.agent.networkdata import UnusableData, network_files

__all__ = ["apply"]


def apply(text: str, folder: Path) -> bool:
    """Write networkd's files for network data, and return whether any was not there like that.

    Raises:
        UnusableData: it cannot be used, and nothing is written.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise UnusableData(f"the network data is no JSON: {error}") from error
    files = network_files(data)
    folder.mkdir(parents=True, exist_ok=True)
    changed = {name: said for name, said in files.items() if _content(folder / name) != said}
    for name, said in changed.items():
        (folder / name).write_text(said, encoding="utf-8")
    return bool(changed)


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, UnicodeDecodeError):  # the latter: what a power cut left
        return None
