"""SQL as SQLAlchemy Core expressions: the basic constructs, and the compiler.

Nothing here knows a field or a request.
"""
