"""Kinds of our own: how their parts are declared, and the CustomResourceDefinition that follows.

What the kinds are is said where they belong: `metal3.api` and `machineapi.api`.
"""
