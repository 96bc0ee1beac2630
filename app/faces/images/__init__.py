"""Images on the way out: objects drawn in another size or format.

The face answers ``/render/image``. It never decodes an image itself: separate processes do (``decoder.py``), so what an
image does to its decoder happens to nothing else.
"""
