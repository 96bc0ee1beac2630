"""Attacks on a separate service: ``python -m bench.siege``. Each reports its tries and how many got through."""
