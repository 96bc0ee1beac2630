"""Attacks on a service of its own: ``python -m bench.siege``. Each reports what it tried and what got through."""
