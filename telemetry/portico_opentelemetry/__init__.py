"""Traces of a Portico service for OpenTelemetry."""
