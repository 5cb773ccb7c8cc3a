"""Draw a moment of a recorded terminal: `script -f -c 'make demo' RECORDING` makes the recording.

    python scripts/picture.py RECORDING PICTURE.svg 'text of that moment'

What is drawn is the last screen on which that text stands, as it was.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS = 96
ERASED = re.compile(r"\r?\x1b\[2K(?:\x1b\[1A\x1b\[2K)*")
"""What a live display writes before it draws itself anew."""

OTHER = re.compile(r"\x1b\[\?\d+[hl]|\r|\x1b\[\d*[GJK]")

FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture of ours fetches nothing: the reader's own font will do."""


def main(recording: str, picture: str, wanted: str) -> None:
    """Draw one moment."""
    said = Path(recording).read_text(encoding="utf-8", errors="replace")
    screens = [OTHER.sub("", screen).rstrip() for screen in ERASED.split(said)]
    shown = next(screen for screen in reversed(screens) if wanted in screen)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for line in shown.splitlines():
        text = Text.from_ansi(line)
        text.rstrip()
        console.print(text, no_wrap=True, overflow="ellipsis", crop=True)
    drawn = FONT.sub("", console.export_svg(title="make demo")).replace("Fira Code", "monospace")
    Path(picture).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
