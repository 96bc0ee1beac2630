"""Aggregates and groups: aggregate functions, and conditions and orders by them."""
