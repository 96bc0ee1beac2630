"""``python -m portico``, and the command ``portico``."""

from __future__ import annotations

from app.interrupt import end_at_interrupt

end_at_interrupt()

from app.cli import main  # noqa: E402 - Ctrl-C may come while this is imported.

__all__ = ["main"]

if __name__ == "__main__":
    main()
