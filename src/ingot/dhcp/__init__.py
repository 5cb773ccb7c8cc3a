"""DHCP for IPv4 (RFC 2131): messages on the wire, and finding out who answers on a network.

How a boot ROM gets its lease is in `ingot.machine.firmware`; our own server is dnsmasq.
"""
