"""Image transformations: objects drawn in another size or format.

The face serves ``/render/image``. Separate processes decode the images (``decoder.py``), so an image that crashes or
blocks its decoder harms nothing else.
"""
