"""What a cluster is made of: pinned versions, Kubernetes binaries and container images.

Everything is got or built once, kept in the store and carried by the node image, so that an
install needs no registry. Disk images and ramdisks made from it live in `osimage`.
"""
