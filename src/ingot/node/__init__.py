"""What the `ingot-node` command does on the bootstrap VM and on nodes, called by units and pods.

People use `ingot`; nothing here is meant to be typed. Images carry both commands.
"""
