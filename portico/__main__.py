"""``python -m portico``, and the command ``portico``."""

from __future__ import annotations

from app.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
