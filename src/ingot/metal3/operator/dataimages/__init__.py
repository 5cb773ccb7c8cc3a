"""DataImage: a virtual CD for a host in use, changed while the host is off.

The host's controller says when, `changing` has Ironic do it, and the controller here sees to it
that a DataImage goes with its host, and not before its image is out of the drive.
"""
