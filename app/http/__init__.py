"""What the server and the faces share of HTTP: heads, admission, refusals, CORS, preconditions.

No product: nothing here knows GraphQL, the storage or the database.
"""
