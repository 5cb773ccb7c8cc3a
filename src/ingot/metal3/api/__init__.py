"""The kinds of ``metal3.io/v1alpha1``: one file for each kind or theme, and the words they use.

The models say what is read and what the definitions in ``ingot/metal3/crds`` accept; those are
generated, by ``make generate``. What only a webhook or a controller can judge is not here.

Objects are patched and never written back whole. A model passes over fields that it does not know,
so a spec that went through a model and back would lose what a newer release, or another tool, had
put there. Whoever changes a stored object sends the fields that change and nothing else. Whole
parts are written only where all of it is ours: the status, and objects that the operator makes.
"""
