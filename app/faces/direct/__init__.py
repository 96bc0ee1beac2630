"""Direct uploads: the client sends the bytes to the cloud, and a request to the service before and after that.

The face adds routes to those of ``rest``.
"""
