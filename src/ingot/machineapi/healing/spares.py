"""Whether something could take the place of a Machine of the control plane, as things are now."""

from __future__ import annotations

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.machine import Machine
from ingot.machineapi.api.providerspec import HostSelector
from ingot.machineapi.healing.successor import REPLACES, SPARE, name_after, spare_selector
from ingot.machineapi.machines.choosing import choose
from ingot.machineapi.parts import Parts

__all__ = ["Spares"]


class Spares:
    """Looks for hosts that are kept for the control plane.

    Args:
        parts: what all controllers share.
    """

    def __init__(self, parts: Parts) -> None:
        self._machines, self._hosts = parts.machines, parts.hosts

    def is_succeeded(self, found: KubeObject[Machine]) -> bool:
        """Tell whether the Machine that comes after one is there."""
        after = self._machines.store.get(_after(found))
        return after is not None and after.metadata.annotations.get(REPLACES) == found.metadata.uid

    def obstacle(self, found: KubeObject[Machine]) -> str:
        """Return why nothing could take a Machine's place, and what to do; "" if something could.

        etcd is not asked for this: what it says changes from one moment to the next.
        """
        if self.is_succeeded(found):
            return ""
        after = _after(found)
        if self._machines.store.get(after) is not None:
            return f"Machine {after} is there, and was not made in its place: delete it"
        wanted = found.model.spec.provider_spec.value
        selector = wanted.host_selector if wanted else HostSelector()
        choice = choose(self._hosts.store.within(found.key.namespace), spare_selector(selector))
        if choice.candidates:
            return ""
        return (
            f"there is no spare host for the control plane: {choice.why_none()};"
            f" a spare is a free BareMetalHost that was added with the label {SPARE[0]}: {SPARE[1]}"
        )


def _after(found: KubeObject[Machine]) -> ObjectKey:
    return ObjectKey(found.key.namespace, name_after(found.key.name))
