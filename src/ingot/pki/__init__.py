"""Keys and certificates: authorities that sign, and what they signed, as PEM.

Everything is a value made of bytes, and the time is told by the caller. Where files lie, who may
read them and when they are made anew is the business of those who use this. All keys that are made
are of the curve P-256: quick to make, and a handshake costs a busy machine little.
"""
