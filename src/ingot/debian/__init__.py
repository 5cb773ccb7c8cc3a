"""Debian as raw material: roots by mmdebstrap, single packages, and tars that come out the same.

What is made of it (container layers, node images, ramdisks) lives in `payload` and `osimage`.
"""
