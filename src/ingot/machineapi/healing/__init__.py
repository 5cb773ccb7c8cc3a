"""Unhealthy Machines, healed by their power: off, emptied, on again; and replaced in the end.

`judging` says who is unhealthy and whose turn it is, `course` what comes next for one Machine, and
`successor` who takes the place of a dead control-plane node. All three decide and do nothing;
`checks` and `healings` are the controllers that do.
"""
