"""A machine that can be defined, powered and booted: User-Mode Linux and libvirt behind one door.

The lab's hosts and the bootstrap VM are both made here. What a machine is for is not known here,
and neither are BMCs: those stand in front of a machine, in `ingot.lab`.
"""
