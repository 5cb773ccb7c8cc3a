"""The one process on each node that keeps its network as the cluster needs it.

It observes, has the rest of `ingot.onprem` decide, and does what follows: files, children, sockets
and loops are here, decisions are not.
"""
