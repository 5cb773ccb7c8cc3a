"""Kubernetes' own conformance tests, as a cluster of ours is judged by them.

Here is what it takes: the suite, built from the module that the payload is built from, the images
that its pods run, and which of its tests are wanted. How it is run is in `tests/e2e/conformance`.
Nothing of this goes into the payload or into the image of a node.
"""
