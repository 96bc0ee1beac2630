"""Endpoints for operators and browsers: health, version, the home page, and errors for services that Portico lacks.

They show no database objects.
"""
