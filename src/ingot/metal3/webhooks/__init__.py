"""What is refused before it is stored, and how the API server asks.

Rules are pure: ``validate_create`` and ``validate_update`` of a kind's `Judge` take objects as JSON
data and return a `Verdict`, whatever they are given. One file has the rules of one theme or kind.
``serving`` answers the API server, ``certificates`` makes what it trusts, ``rotating`` keeps that
young, ``configuration`` tells it where to ask. Not here: what the definitions in
``ingot/metal3/crds`` refuse by themselves.
"""
