"""The GraphQL API over HTTP: POST, GET, batches and documents by their ids.

What an operation means is decided in ``app.pipeline``.
"""
