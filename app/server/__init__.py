"""A WSGI server on waitress's parser: processes, threads that take turns, connections and requests.

It knows no product: an application says itself what it admits (``app.http.admission``).
"""
