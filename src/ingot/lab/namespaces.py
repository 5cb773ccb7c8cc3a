"""Moved to ingot.machine.namespaces."""

from ingot.machine.namespaces import *  # noqa: F403
from ingot.machine.namespaces import NAMED  # noqa: F401
