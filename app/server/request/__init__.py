"""One request: its head and body as they arrive, and the task that makes the response."""
