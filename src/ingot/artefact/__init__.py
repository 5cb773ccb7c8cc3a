"""Things that are built once and kept: recipes, the store they are kept in, and the building.

What is built (binaries, images, kernels) lives in `payload` and `osimage`; here is only how a
result is named by its inputs, kept whole, shared by two builds at once and found again.
"""
