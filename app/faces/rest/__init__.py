"""The REST API of the storage, in the words of Supabase's clients.

Rules about buckets and objects belong in ``app.storage``; here they get paths, headers and JSON.
"""
