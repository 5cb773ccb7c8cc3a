"""Machines: what a cluster's nodes run on, claimed from free hosts and given back.

Here are the kinds of `machine.openshift.io`, their controllers and the program that runs these.
How a server is written to and cleaned is `metal3`'s: a host is known here by its object alone.
"""
