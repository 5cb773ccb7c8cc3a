"""Ironic from the outside: an async client of its API, and the configuration it is run with.

What is said here is Ironic's own language: nodes, ports, provision states. What a BareMetalHost
wants of a node is decided elsewhere, and nothing here knows Kubernetes.
"""
