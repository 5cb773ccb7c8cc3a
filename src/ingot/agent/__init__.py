"""What of Ingot runs inside the agent ramdisk: our hardware manager, kernel arguments, the network.

The folder is copied into the ramdisk as it is, without the rest of Ingot: it imports nothing of
ours, and ironic-python-agent, which exists only there. How network data is applied is copied into
the node image too, which has to do the same: see `osimage/node.py`.
"""
