"""How far the boots of servers have come, by what dnsmasq and the web server write down of them.

Lines become signs (`lines`, `files`), signs a trail for each network card (`trail`); logs are
followed as they grow (`logfile`, `following`) and kept short by who writes them (`bounding`).

The boot servers' own logs were chosen over what else could tell: dnsmasq's `dhcp-script` starts a
process for every lease and says nothing of a request that it did not answer, packets would have to
be captured with rights that the operator should not have, and a proxy in front of the web server
would be one more thing to fail in the middle of a boot.
"""
