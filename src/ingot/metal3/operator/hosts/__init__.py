"""The controller of BareMetalHosts: look at a host and its world, decide, carry out.

`controller.HostRoom` is the way in. Looking (`observing`, `knownnodes`, `places`, `booting`) and
doing (`carrying`) are apart; deciding is `ingot.metal3.host`'s.
"""
