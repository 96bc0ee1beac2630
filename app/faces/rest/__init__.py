"""The REST API of the storage, compatible with Supabase's clients.

Rules about buckets and objects belong in ``app.storage``; this face adds paths, headers and JSON.
"""
