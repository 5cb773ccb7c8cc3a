"""The life of a BareMetalHost: a pure decision over the host and what was observed of it.

`decide` in ``deciding.py`` is the way in; one file for each state or theme. Nothing here waits,
calls or keeps anything: time is handed in, the calls of a goal are `ingot.metal3.node`'s, and all
memory is in the host's status. docs/reference/host-states.md tells it for people.
"""
