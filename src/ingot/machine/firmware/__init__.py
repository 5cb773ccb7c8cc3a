"""The firmware of a User-Mode Linux machine: it finds something to boot and becomes its kernel.

It plays what a server has between power and kernel: boot order, PXE, iPXE, virtual media, and the
boot loader of a disk. It knows the machine by its folder alone, and neither driver nor BMC. It
runs at every power on and every reset, so it starts fast: what a boot may not need is imported
where it is needed.
"""
