"""The Redfish side of the lab's BMCs: sushy-tools' emulator before our own chassis.

Here is what real BMCs have and the emulator lacks (sessions, own inventory, tasks, one-time boot,
faults of the protocol) and the servers that answer, one address for each host. What a host does
when it is told something is behind `ingot.lab.chassis`.
"""
