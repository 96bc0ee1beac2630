from __future__ import annotations

from app.interrupt import end_at_interrupt

end_at_interrupt()

from app.cli import main  # noqa: E402 - Ctrl-C may arrive during this import.

main()
