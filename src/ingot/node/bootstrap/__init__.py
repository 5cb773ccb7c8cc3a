"""`ingot-node bootstrap`: from a fresh VM to a control plane that stands alone, in named stages.

Each stage looks first, acts then, and may be begun again at any time: the VM can be killed and
started in the midst of any of them. What is told on the way can be read on the serial console, and
in the API once there is one.
"""
