"""What of Ingot runs inside the agent ramdisk: our hardware manager, and the kernel arguments.

The folder is copied into the ramdisk as it is, without the rest of Ingot: it imports nothing of
ours, and ironic-python-agent, which exists only there.
"""
