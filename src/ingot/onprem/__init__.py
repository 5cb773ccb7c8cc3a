"""On every node: who holds the VIPs, what balances the API, what answers DNS, which address is own.

Everything here decides and renders over values: models of keepalived, haproxy, CoreDNS and
nftables, and the rules for holding a VIP. What touches the machine is small and beside it.
"""
