"""Import and export of objects, from and to places outside: folders, and buckets of other services."""
