"""The demonstration: the countries and cities of GeoNames, maps of them, and two users who visit cities."""

from __future__ import annotations

from app.demo.banner import demo_banner
from app.demo.load import DemoError, load_demo

__all__ = ["DemoError", "demo_banner", "load_demo"]
