"""The metrics at ``/metrics``: numbers that each worker counts, and numbers that one worker reads from the database."""
