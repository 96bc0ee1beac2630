"""Code that several faces share: credentials, signed tokens, bodies of uploads, ranges, and sending a response.

It contains no route and no error message of a protocol.
"""
