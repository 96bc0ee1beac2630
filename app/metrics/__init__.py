"""What ``/metrics`` tells: numbers that each worker counts, and the state of the database that one of them asks for."""

from app.metrics.asked import AskedNumbers
from app.metrics.counted import CountedNumbers
from app.metrics.labelled import LabelledMetric
from app.metrics.replicas import ReplicaNumbers

__all__ = ["AskedNumbers", "CountedNumbers", "LabelledMetric", "ReplicaNumbers"]
