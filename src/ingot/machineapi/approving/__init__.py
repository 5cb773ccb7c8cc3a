"""Which kubelets get a certificate: each request is held against the Machine and host it names.

Reading a request is in `request`, the rules are in `firstclient`, `renewal` and `serving`, and
`room` has the controller. Nothing here signs: that is the controller manager's work.
"""
