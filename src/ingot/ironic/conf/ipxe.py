"""inspector.ipxe: what a machine boots that asks for a boot file and that no node is known for.

A host whose boot MAC nobody has given is inspected so: the agent reports all its network cards and
the address of its BMC, by which Ironic finds the node. A machine that is nobody's reports too, is
not found, and is left alone.

The script is tried for ever: a machine that gives up here needs a person to switch it on again.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.ironic.conf.value import one_line

__all__ = ["InspectorScript"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorScript:
    """What an unknown machine boots.

    Attributes:
        api_url: Ironic's API, as the machine reaches it.
        kernel_url: the agent's kernel.
        initrd_url: the agent's ramdisk.
        parameters: further words for the kernel.
        timeout_seconds: how long a download may stand still.
    """

    api_url: str
    kernel_url: str
    initrd_url: str
    parameters: str = "ipa-inspection-collectors=default,logs ipa-collect-lldp=1"
    timeout_seconds: int = 60

    def render(self) -> str:
        """Return the script.

        Raises:
            UnusableValueError: a value has a line break in it.
        """
        patience = f"--timeout {self.timeout_seconds * 1000}"
        callback = f"{one_line(self.api_url)}/v1/continue_inspection"
        return f"""\
#!ipxe
:retry
imgfree
kernel {patience} {one_line(self.kernel_url)} initrd=initrd BOOTIF=${{mac}} \
ipa-inspection-callback-url={callback} {one_line(self.parameters)} || goto again
initrd {patience} --name initrd {one_line(self.initrd_url)} || goto again
boot || goto again

:again
sleep 10
goto retry
"""
