"""The Kubernetes API, and what a controller needs to live on it.

Here are the client, shared watches, the queue, workers, the lease and events: everything that any
controller needs, and nothing that knows what it controls. `metal3` and `machineapi` do.
"""
