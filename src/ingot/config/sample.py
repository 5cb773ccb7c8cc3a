"""The commented samples that come with Ingot."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["SAMPLES", "sample"]

SAMPLES = ("managed", "unmanaged", "virtualmedia", "dual-stack")


def sample(name: str) -> str:
    """Return the text of a sample."""
    return files("ingot.config").joinpath("examples", f"{name}.yaml").read_text(encoding="utf-8")
