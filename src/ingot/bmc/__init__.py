"""BMC addresses and what follows from them; later, live access to a BMC.

Not here: credentials and what a node in Ironic is told, which belong to ``ingot.ironic``.
"""
