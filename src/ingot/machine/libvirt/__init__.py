"""Machines as libvirt domains: QEMU with real firmware, on this machine or on another one.

Everything is said to libvirt by `virsh`; docs/decisions/0010-libvirt-by-virsh.md says why. What is
known of a machine is kept in its domain, and its disks in a storage pool, so nothing but the URI is
needed to find it again. A libvirt of our own, for where there is none, is in `service`.
"""
