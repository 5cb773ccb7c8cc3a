"""What is known and wanted of hosts' firmware: BIOS settings, components, and when they may change.

The door is `room.FirmwareRoom`. Changing firmware is no work of this room: the host's own state
machine orders it, by what `FirmwareRoom.seen` tells.
"""
