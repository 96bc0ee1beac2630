"""The parent, its workers, and what they share with the system: sockets, pipes, logs and limits."""
