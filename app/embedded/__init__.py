"""The embedded PostgreSQL, for evaluation and tests: binaries from a wheel, managed by this package.

Every process that uses the cluster holds a shared lock on one file while it runs. A small process, the keeper, starts
the server, restarts it when it dies, and stops it when no process holds that lock any more. The operating system
releases the locks of a process that ends, so no server is left behind even if processes are killed.
"""
