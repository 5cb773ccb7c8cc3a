"""What machines boot: the node image in its two flavours, the agent ramdisk and the lab kernel."""
