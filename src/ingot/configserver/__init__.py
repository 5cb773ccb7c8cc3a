"""The config server: Ignition configs for nodes on port 22623, each against its host's own token.

Here are who may ask, what is answered, and the server itself. What the roles' configs say is the
assets' to decide; what a node does with its answer is `ingot.node.joining`.
"""
