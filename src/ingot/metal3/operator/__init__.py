"""The host operator as a program: watches, Ironic and the decisions of `ingot.metal3.host` joined.

Deciding is elsewhere. Here is what looks (`census`, `secrets`, `boots`), what carries out, one room
for each kind that has a controller, and the program that runs them all.
"""
