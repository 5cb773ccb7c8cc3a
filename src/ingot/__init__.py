"""Ingot: a rack of servers in, a highly available Kubernetes cluster out.

The rooms below are described in their own docstrings. They import one way only, as the contract in
pyproject.toml says: the command line at the top, what the user asks for and BMC addresses below.
"""

__version__ = "0.1.0"
