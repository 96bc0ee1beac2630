"""One folder for each protocol that clients speak: its routes, admission rule, resource and error messages.

A face calls the pipeline or the storage core; neither of them depends on a face.
"""
