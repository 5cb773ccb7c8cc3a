"""metal3 in the cluster: what `Provisioning` says becomes pods, and the images that they serve.

`program` is the controller that sees to it, `translating` and `deploying` are what it decides, and
`images` is what each copy of the images does. The pod itself is in `ingot.metal3.pod`.
"""
