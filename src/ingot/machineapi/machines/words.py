"""Conditions, reasons and events of a Machine: the only place where they are spelled."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["MachineCondition", "Reason"]


class MachineCondition(StrEnum):
    """What is observed of a Machine."""

    HOST_CLAIMED = "HostClaimed"
    INSTANCE_EXISTS = "InstanceExists"
    NODE_LINKED = "NodeLinked"
    DRAINABLE = "Drainable"
    DRAINED = "Drained"
    TERMINABLE = "Terminable"
    ETCD_MEMBER_REMOVED = "EtcdMemberRemoved"
    HOST_RELEASED = "HostReleased"


class Reason(StrEnum):
    """Why a condition is as it is; an event has the same word."""

    CLAIMED = "HostClaimed"
    CLAIM_REFUSED = "ClaimRefused"
    NO_FREE_HOST = "NoFreeHost"
    NO_MATCHING_HOST = "NoMatchingHost"
    INVALID_CONFIGURATION = "InvalidConfiguration"
    PROVISIONING = "Provisioning"
    PROVISIONED = "Provisioned"
    HOST_ERROR = "HostError"
    HOST_GAVE_UP = "HostGaveUp"
    HOST_DELETING = "HostDeleting"
    HOST_GONE = "HostGone"
    HOST_TAKEN = "HostTaken"
    NODE_LINKED = "NodeLinked"
    NO_NODE = "NoNode"
    HOOK_PRESENT = "HookPresent"
    DRAINING = "Draining"
    DRAINED = "Drained"
    DRAIN_TIMED_OUT = "DrainTimedOut"
    NODE_NOT_READY = "NodeNotReady"
    ETCD_QUORUM = "EtcdQuorumAtRisk"
    ETCD_UNKNOWN = "EtcdNotAsked"
    ETCD_MEMBER_REMOVED = "EtcdMemberRemoved"
    NO_ETCD_MEMBER = "NoEtcdMember"
    RELEASING = "Releasing"
    RELEASED = "HostReleased"
    NOT_RELEASED = "HostNotReleased"
    NODE_DELETED = "NodeDeleted"
