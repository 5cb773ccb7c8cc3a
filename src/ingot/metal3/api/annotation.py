"""Annotations of this API's own objects. Those that sit on Machines belong to the machine API.

The module's name is singular because `annotations` is what `from __future__` brings into each file.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BLOCK_MOVE",
    "DETACHED",
    "FORCE_DELETE",
    "HARDWARE_DETAILS",
    "INSPECT",
    "INSPECT_DISABLED",
    "PAUSED",
    "PROVISIONING_PAUSED",
    "REBOOT",
    "REBOOT_WITH_KEY",
    "STATUS",
    "UNHEALTHY",
    "UNHEALTHY_OLD",
]

PAUSED: Final = "baremetalhost.metal3.io/paused"
"""On a host, with any value: nothing is done until it is gone."""

DETACHED: Final = "baremetalhost.metal3.io/detached"
"""On a host: Ironic forgets it, its state is kept. The value may be JSON with ``deleteAction``
(``delay`` or ``delete``) and ``force``."""

STATUS: Final = "baremetalhost.metal3.io/status"
"""On a host that moved here without its status: the status as JSON, taken over and then removed."""

FORCE_DELETE: Final = "baremetalhost.metal3.io/force-delete"
"""On a host that is being deleted: do not wait for any back end. Ours; upstream has no such way."""

REBOOT: Final = "reboot.metal3.io"
"""On a host: off and on again, once. The value may be JSON with ``mode`` (``hard`` or ``soft``)
and ``force``."""

REBOOT_WITH_KEY: Final = "reboot.metal3.io/"
"""The beginning of an annotation that keeps a host off until whoever set it removes it."""

INSPECT: Final = "inspect.metal3.io"
"""On a host: inspect again, or with `INSPECT_DISABLED` never."""

INSPECT_DISABLED: Final = "disabled"

HARDWARE_DETAILS: Final = "inspect.metal3.io/hardwaredetails"
"""On a host that is not inspected: its hardware as JSON, taken over and then removed."""

UNHEALTHY: Final = "capm3.metal3.io/unhealthy"
UNHEALTHY_OLD: Final = "capi.metal3.io/unhealthy"
"""On a host: cluster-api's provider does not choose it."""

BLOCK_MOVE: Final = "clusterctl.cluster.x-k8s.io/block-move"
"""On a host: it is not to be moved to another cluster yet."""

PROVISIONING_PAUSED: Final = "provisioning.metal3.io/paused"
"""On the Provisioning: changes to it are not acted on."""
