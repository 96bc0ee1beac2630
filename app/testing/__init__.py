"""Tests of plugins and of apps: databases of their own, services on them, and fixtures of pytest.

An app's test database is prepared once, by the app's own migrations and seeds, and reset to that state between tests.
"""
