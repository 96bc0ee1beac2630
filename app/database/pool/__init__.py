"""A bounded pool of connections to one server, and the log messages and advice when the server cannot be reached.

The pool does not know which statements run on its connections.
"""
