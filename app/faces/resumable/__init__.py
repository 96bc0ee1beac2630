"""Resumable uploads over the protocol tus 1.0.0 (https://tus.io/protocols/resumable-upload)."""
