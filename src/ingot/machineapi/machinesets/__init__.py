"""MachineSets: how many Machines there are, and which goes when there are too many.

What is decided is in files of its own and knows no API server; `room` has the controller.
"""
