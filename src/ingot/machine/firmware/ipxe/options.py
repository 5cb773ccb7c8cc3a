"""Options of commands: before the first word that is none, as `--name value` or `--name=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["BadOption", "split_options"]


class BadOption(ValueError):  # noqa: N818 - it says what a word is
    """A command does not know an option, or misses its value."""


def split_options(
    words: Sequence[str], *, flags: Mapping[str, str], values: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return options by their long names, and the words behind them.

    Args:
        words: without the command.
        flags: long names of options without a value, with their letters.
        values: the same of options with one.

    Raises:
        BadOption: naming it.
    """
    long_names = {
        **{letter: name for name, letter in flags.items()},
        **{letter: name for name, letter in values.items()},
    }
    given: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, assigned, value = word[2:].partition("=")
        else:
            name, assigned, value = long_names.get(word[1], word), "", word[2:]
        if name in flags:
            given[name] = ""
        elif name in values:
            if not assigned and not value:
                if not rest:
                    raise BadOption(f"option {word} needs a value")
                value = rest.pop(0)
            given[name] = value
        else:
            raise BadOption(f"unrecognised option {word!r}")
    return given, tuple(rest)
