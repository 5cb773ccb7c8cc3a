"""Virtual hardware: a rack of servers with BMCs on one PC, that can misbehave like real ones.

The way through: `lab.yaml` → plan → networks, machines and BMCs, held by one daemon for each lab,
which commands reach through its socket. The installer is never known here, nor is the lab known
there: a host is reached through its BMC and its wires alone.
"""
