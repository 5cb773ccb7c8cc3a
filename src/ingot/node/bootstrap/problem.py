"""What keeps a bootstrap from going on.

Most things that go wrong pass by themselves: a server boots late, a BMC is busy. They are tried
again without end, and how long is the installer's to decide. Some do not pass until a person does
something, and waiting an hour to say so helps nobody: these are `NeedsAPersonError`. They are tried
again too, since the person may have done it by then; whoever waits gives up on them soon.
"""

from __future__ import annotations

from ingot.errors import ExitCode, IngotError

__all__ = ["NeedsAPersonError", "told"]


class NeedsAPersonError(IngotError):
    """Nothing goes on until a person does something; the remedy says what."""

    exit_code = ExitCode.BOOTSTRAP


def told(error: IngotError) -> str:
    """Return an error in one line, with what to do about it where a person has to."""
    lasts = isinstance(error, NeedsAPersonError) and error.remedy
    text = f"{error.what}; {error.remedy}" if lasts else error.what
    return " ".join(text.split())
