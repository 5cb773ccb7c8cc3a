"""The host operator: what a BareMetalHost asks for, made true on a real server.

``api/`` holds the kinds of ``metal3.io/v1alpha1`` as models, ``crds/`` the definitions made from
them for the API server. Not here: how Ironic is spoken to (``ingot.ironic``), and how objects are
read, watched and queued (``ingot.kube``).
"""
