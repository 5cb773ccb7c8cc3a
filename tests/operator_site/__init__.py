"""A site for the host operator: Kubernetes API, Ironic and many servers that exist only as BMCs.

The API server, its store and Ironic are real, and so is the operator, which runs as a process of
its own. The servers are sushy-tools' emulator with nothing behind it: a BMC that remembers what it
was told. No agent ever runs, so hosts are neither inspected nor cleaned here.
"""
