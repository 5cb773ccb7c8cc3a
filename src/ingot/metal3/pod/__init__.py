"""The metal3 pod: Ironic, its boot servers and our operator, from one image and one specification.

It runs twice: as a static pod on the bootstrap VM, and as a Deployment in the cluster. `settings`
is all that it is told, `rendering` makes the programs' files of it, `preparing` and `running` are
what its containers do, and `podspec` and `manifest` describe them to Kubernetes.
"""
