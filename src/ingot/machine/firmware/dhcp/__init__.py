"""DHCP as a network card's boot ROM speaks it (RFC 2131, and Intel's PXE 2.1), for IPv4."""
