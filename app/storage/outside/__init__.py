"""Bringing objects in from places outside, and out to them: folders, and buckets of other services."""
