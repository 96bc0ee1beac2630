"""The GraphQL API over HTTP: POST, GET, batches and documents by their ids.

``app.pipeline`` runs the operations.
"""
