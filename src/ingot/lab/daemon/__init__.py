"""The process that holds a lab: its BMCs, its faults, its site's services, its control socket.

It runs in the lab's network namespace. Hosts do not depend on it: where it dies they go on, and the
next one finds them. Making and removing hosts and networks is not here but in
`ingot.lab.lifecycle`, since that works on the PC as a whole.
"""
