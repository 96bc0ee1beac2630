"""Uploads in pieces: the parts are stored until the upload is complete, and then become an object in one step.

Each part has its own blob, which is never written again, and is part of the upload once its row is committed. So no
lock is held while bytes arrive or are stored, any process can continue any upload, and a crash at any moment leaves at
worst bytes that no row names.
"""
