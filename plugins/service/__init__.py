"""Features of the complete service: access log, API keys, compression, CORS, registered documents, metrics."""
