"""The parent process, its workers, and their interface to the system: sockets, pipes, logs and limits."""
