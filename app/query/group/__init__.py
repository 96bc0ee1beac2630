"""Aggregates and groups: functions of several rows, and conditions and orders by them."""
