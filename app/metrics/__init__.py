"""The metrics at ``/metrics``: numbers that each worker counts, and numbers that one worker reads from the database."""

from app.metrics.database_numbers import DatabaseNumbers
from app.metrics.replicas import ReplicaNumbers
from app.metrics.worker_numbers import WorkerNumbers

__all__ = ["DatabaseNumbers", "ReplicaNumbers", "WorkerNumbers"]
