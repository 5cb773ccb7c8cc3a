"""The states of a node, as Ironic names them, and what one may conclude from each.

Every state that Ironic 39 knows is here. A newer Ironic may have more: those read as UNKNOWN, of
which nothing is concluded, so that a caller waits and does not guess.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["PowerState", "PowerTarget", "ProvisionState", "Verb"]


class ProvisionState(StrEnum):
    """Where a node is in its life."""

    ENROLL = "enroll"
    VERIFYING = "verifying"
    MANAGEABLE = "manageable"
    INSPECTING = "inspecting"
    INSPECT_WAIT = "inspect wait"
    INSPECT_FAILED = "inspect failed"
    CLEANING = "cleaning"
    CLEAN_WAIT = "clean wait"
    CLEAN_HOLD = "clean hold"
    CLEAN_FAILED = "clean failed"
    AVAILABLE = "available"
    DEPLOYING = "deploying"
    DEPLOY_WAIT = "wait call-back"
    DEPLOY_HOLD = "deploy hold"
    DEPLOY_FAILED = "deploy failed"
    ACTIVE = "active"
    DELETING = "deleting"
    ERROR = "error"
    ADOPTING = "adopting"
    ADOPT_FAILED = "adopt failed"
    SERVICING = "servicing"
    SERVICE_WAIT = "service wait"
    SERVICE_HOLD = "service hold"
    SERVICE_FAILED = "service failed"
    RESCUE = "rescue"
    RESCUING = "rescuing"
    RESCUE_WAIT = "rescue wait"
    RESCUE_FAILED = "rescue failed"
    UNRESCUING = "unrescuing"
    UNRESCUE_FAILED = "unrescue failed"
    UNKNOWN = "unknown"
    """One that this client has no name for."""

    @classmethod
    def read(cls, text: str | None) -> ProvisionState:
        """Return the state that Ironic names so."""
        return _BY_TEXT.get(text or "", cls.UNKNOWN)

    @property
    def is_stable(self) -> bool:
        """Whether it stays until somebody asks for a change."""
        return self in _STABLE

    @property
    def is_transient(self) -> bool:
        """Whether it changes by itself: Ironic is at work, or waits for the agent."""
        return self in _WORKING or self in _WAITING

    @property
    def is_wait(self) -> bool:
        """Whether Ironic waits for the agent to call back. Only such a state can be aborted."""
        return self in _WAITING

    @property
    def is_hold(self) -> bool:
        """Whether a step has asked for a stop; `unhold` goes on."""
        return self in _HELD

    @property
    def is_failed(self) -> bool:
        """Whether the last operation failed; the node's `last_error` says why."""
        return self in _FAILED


_BY_TEXT = {state.value: state for state in ProvisionState}

_STABLE = frozenset(
    {
        ProvisionState.ENROLL,
        ProvisionState.MANAGEABLE,
        ProvisionState.AVAILABLE,
        ProvisionState.ACTIVE,
        ProvisionState.ERROR,
        ProvisionState.RESCUE,
    }
)
_WORKING = frozenset(
    {
        ProvisionState.VERIFYING,
        ProvisionState.INSPECTING,
        ProvisionState.CLEANING,
        ProvisionState.DEPLOYING,
        ProvisionState.DELETING,
        ProvisionState.ADOPTING,
        ProvisionState.SERVICING,
        ProvisionState.RESCUING,
        ProvisionState.UNRESCUING,
    }
)
_WAITING = frozenset(
    {
        ProvisionState.INSPECT_WAIT,
        ProvisionState.CLEAN_WAIT,
        ProvisionState.DEPLOY_WAIT,
        ProvisionState.SERVICE_WAIT,
        ProvisionState.RESCUE_WAIT,
    }
)
_HELD = frozenset(
    {ProvisionState.CLEAN_HOLD, ProvisionState.DEPLOY_HOLD, ProvisionState.SERVICE_HOLD}
)
_FAILED = frozenset(
    {
        ProvisionState.INSPECT_FAILED,
        ProvisionState.CLEAN_FAILED,
        ProvisionState.DEPLOY_FAILED,
        ProvisionState.ADOPT_FAILED,
        ProvisionState.SERVICE_FAILED,
        ProvisionState.RESCUE_FAILED,
        ProvisionState.UNRESCUE_FAILED,
    }
)


class Verb(StrEnum):
    """What a node can be asked to do without saying more; the rest has calls of its own."""

    MANAGE = "manage"
    INSPECT = "inspect"
    PROVIDE = "provide"
    DELETED = "deleted"
    ADOPT = "adopt"
    ABORT = "abort"
    UNHOLD = "unhold"


class PowerState(StrEnum):
    """What Ironic last heard of a node's power."""

    ON = "power on"
    OFF = "power off"
    ERROR = "error"
    UNKNOWN = "unknown"
    """Ironic has not asked the BMC yet."""

    @classmethod
    def read(cls, text: str | None) -> PowerState:
        """Return the power state that Ironic names so."""
        return _POWER_BY_TEXT.get(text or "", cls.UNKNOWN)


_POWER_BY_TEXT = {state.value: state for state in PowerState}


class PowerTarget(StrEnum):
    """What can be asked of a node's power."""

    ON = "power on"
    OFF = "power off"
    SOFT_OFF = "soft power off"
    REBOOT = "rebooting"
    SOFT_REBOOT = "soft rebooting"
