"""The WSGI application that the environment describes, for servers that import one: ``portico.wsgi:application``.

Import it in the process that answers requests: it owns connections and threads, which a fork does not take along.
"""

from __future__ import annotations

from portico import configure, create_app

application = create_app(*configure())
