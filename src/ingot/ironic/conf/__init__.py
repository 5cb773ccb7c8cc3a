"""What the programs of the metal3 pod are told: Ironic, dnsmasq, nginx, and iPXE for strangers.

Each file is rendered from a frozen model by a template that looks like the result. Tests have every
one of them read by the program it is for.
"""
