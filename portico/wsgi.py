"""The WSGI application for servers that import one: ``portico.wsgi:application``. Environment variables configure it.

Import it in the process that serves requests: it owns connections and threads, which do not survive a fork.
"""

from __future__ import annotations

from portico import configure, create_app

application = create_app(*configure())
