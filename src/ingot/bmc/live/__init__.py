"""Live access to one BMC: its power and its virtual media, in Redfish or in IPMI.

The door is `access.connected`. A call is tried once and ends within its deadline; whether to try
again is for whoever calls. No user name and no password is told to anybody but the BMC.
"""
