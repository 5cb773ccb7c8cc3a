"""A copy of the images on a node: fetched once, checked, and served to the others.

It is what hosts are provisioned from once the bootstrap VM is gone. `fetching` brings a file,
`sources` knows from where, `keeping` is the program. docs/decisions/0016-images-in-the-cluster.md
says why it is made like this.
"""
