"""The bytes of objects in a backend: blobs, their transfer, and the backends' common protocol."""
