"""An interpreter for iPXE scripts: the commands that Ironic's and metal3's scripts are made of.

Reading, expanding and stepping know nothing of networks or files; what a script does to the world
goes through one door, `session.Machine`. Where iPXE fails, so does this, and in the same places.
"""
