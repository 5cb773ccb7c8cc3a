"""How a machine becomes a node: what to do given what is seen, and the doing of it by kubeadm.

`kubeadm join` does the work. Here is what it needs to be told, what went wrong in one line, and how
what a try left half done is cleared away, so that the next one begins as the first did.
"""
