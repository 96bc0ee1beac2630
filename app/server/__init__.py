"""A WSGI server on waitress's parser: processes, threads that take turns, connections and requests.

It does not depend on GraphQL or the storage: an application itself provides its admission rules
(``app.http.admission``).
"""
