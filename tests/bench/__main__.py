"""Prints every figure the reference page docs/reference/performance.md holds."""

from __future__ import annotations

from tests.bench import artefacts, cli_start, lab, ramdisk, validation


def main() -> None:
    """Run each benchmark in turn."""
    start = cli_start.report()
    validation.report(start)
    artefacts.report()
    ramdisk.report()
    lab.report()


if __name__ == "__main__":
    main()
