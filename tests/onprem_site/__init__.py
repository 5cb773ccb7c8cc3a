"""A site of network namespaces on a bridge, where VIPs are fought for, and an observer outside.

Nodes are namespaces with processes of their own; faults hit them but never the observer. What is
tested is started by the test: nothing here knows Ingot's own networking.
"""
