"""Features of the service as a whole: access log, keys, compression, metrics."""
