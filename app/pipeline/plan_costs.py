"""The cost of a plan as EXPLAIN prints it in JSON, which with Citus is spread over tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def cost_of(statement: Mapping[str, Any]) -> float:
    """The estimated cost of a statement, in the units of PostgreSQL's planner: that of its own plan, and those of the
    tasks on other servers, which Citus's own estimates leave out."""
    plan = statement["Plan"]
    return float(plan["Total Cost"]) + _elsewhere(plan)


def _elsewhere(node: Mapping[str, Any]) -> float:
    """The cost of the tasks of a node and of all nodes below it."""
    below = sum(_elsewhere(each) for each in node.get("Plans", ()))
    return below + _of_selects(node) + _of_query(node.get("Distributed Query", {}))


def _of_selects(node: Mapping[str, Any]) -> float:
    return sum(cost_of(each) for each in node.get("Select Query", ()))


def _of_query(query: Mapping[str, Any]) -> float:
    subplans = sum(cost_of(each) for subplan in query.get("Subplans", ()) for each in subplan["PlannedStmt"])
    job = query.get("Job", {})
    return subplans + _of_job(job)


def _of_job(job: Mapping[str, Any]) -> float:
    """The cost of a job's tasks. Citus shows one of them, unless there is only one or the session asks for all."""
    shown = job.get("Tasks", ())
    costs = [cost_of(each) for task in shown for plans in task.get("Remote Plan", ()) for each in plans]
    of_others = len(shown) and job.get("Task Count", len(shown)) / len(shown)
    jobs = sum(map(_of_job, job.get("Dependent Jobs", ())))
    return sum(costs) * of_others + jobs
