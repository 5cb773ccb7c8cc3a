"""BMCEventSubscription: a BMC's events, sent where somebody wants them.

Each is made once through Ironic, and removed with its object. Deleting one never gets stuck: where
the host, its node or its BMC cannot be had any more, it goes, and says what it leaves behind.
"""
