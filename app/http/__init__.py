"""HTTP code that the server and the faces share: heads, admission, refusals, CORS, preconditions.

Nothing here depends on GraphQL, the storage or the database.
"""
