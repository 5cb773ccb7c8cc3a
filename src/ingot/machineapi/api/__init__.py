"""The kinds of `machine.openshift.io/v1beta1`, as models.

They say what is read, and what the definitions in ``ingot/machineapi/crds`` accept: those are made
from them by `make generate`. Fields that are not here are passed over by whoever reads.
"""
