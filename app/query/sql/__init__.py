"""SQL as SQLAlchemy Core expressions: the constructs that all else is made of, and how they are compiled.

Nothing here knows a field or a request.
"""
