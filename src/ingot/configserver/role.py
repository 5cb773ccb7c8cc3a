"""What a host is to become, and the words for it in paths and files."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Role"]


class Role(StrEnum):
    """A role; its value is the word in `hosts.json` and `join.json`, and its file's name."""

    CONTROL_PLANE = "control-plane"
    WORKER = "worker"

    @classmethod
    def of(cls, word: str) -> Role | None:
        """Return the role that a word means: `master` is the field's older word for one."""
        return _WORDS.get(word)

    @property
    def file_name(self) -> str:
        """The file with the config that all hosts of the role have in common."""
        return f"{self.value}.ign"


_WORDS = {
    "master": Role.CONTROL_PLANE,
    "control-plane": Role.CONTROL_PLANE,
    "worker": Role.WORKER,
}
