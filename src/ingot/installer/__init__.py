"""Create and destroy a cluster: checks, the bootstrap VM, waiting, and a report.

What a cluster consists of is decided in `assets`; what happens on machines is the work of `node`.
Nothing here knows of the lab.
"""
