"""BMC addresses and what follows from them; in ``live``, access to a BMC.

Not here: what a node in Ironic is told, which belongs to ``ingot.ironic``.
"""
