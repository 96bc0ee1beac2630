"""One folder for each protocol that clients speak: its routes, its admission rule, its resource and its words.

A face calls the pipeline or the storage core; neither knows a face.
"""
