"""Machines: how each gets a host and a Node, and how it gives them back.

What is decided is in files of its own and knows no API server; `room` has the controller.
"""
