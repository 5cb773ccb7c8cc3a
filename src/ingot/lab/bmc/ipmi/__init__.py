"""IPMI 2.0 over LAN for every host: what ipmitool's `lanplus` speaks to, and so Ironic.

The way of a packet: server (socket and thread) → bmc (faults, sessions) → presession (what is
answered to anyone) or session (log-in and encryption, on pyghmi) → commands (what is answered to
who is logged in). Power and boot settings are with the chassis; nothing of them is kept here.
"""
