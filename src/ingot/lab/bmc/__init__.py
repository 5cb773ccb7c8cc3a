"""The BMCs of the lab's hosts: Redfish by sushy-tools, IPMI by pyghmi, both before one chassis."""
