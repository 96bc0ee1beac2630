"""Direct uploads: the client sends the bytes to the cloud itself, before and after which it asks the service.

The face adds routes to those of ``rest``.
"""
