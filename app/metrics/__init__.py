"""What ``/metrics`` tells: numbers that each worker counts, and the state of the database that one of them asks for."""

from app.metrics.bounded_labels import LabelledMetric
from app.metrics.database_numbers import AskedNumbers
from app.metrics.replicas import ReplicaNumbers
from app.metrics.worker_numbers import CountedNumbers

__all__ = ["AskedNumbers", "CountedNumbers", "LabelledMetric", "ReplicaNumbers"]
