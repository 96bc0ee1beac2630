"""What several faces share: credentials, signed tokens, bodies of uploads, ranges, and sending a response.

No route and no error message of a protocol.
"""
