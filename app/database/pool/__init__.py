"""A bounded pool of connections to one server, and what is reported when the server cannot be reached.

The pool knows connections, not what runs on them.
"""
