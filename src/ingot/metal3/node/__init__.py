"""From what is wanted of a server to the next calls to Ironic: a pure function over its node.

A goal says what should come true; `advance` looks at the node as it was seen and answers with the
calls that bring it nearer, with a wait, with a failure, or that it is reached. It keeps no memory:
the same goal and the same node always give the same answer, so it can be asked again at any time.
"""
