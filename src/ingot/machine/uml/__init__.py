"""Machines that are User-Mode Linux processes: no KVM, no hypervisor, only root.

Here are folders, disks, links and processes. What a machine starts when it is powered is decided
by `ingot.machine.firmware`, which runs as the machine's own process.
"""
