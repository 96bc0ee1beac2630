"""Live queries: a query whose answer is sent again whenever it has changed.

A separate process, ``portico live``, serves them, because a stream stays open for as long as its viewer wants, and a
worker of ``portico serve`` would need a thread for each stream. One asyncio thread holds all streams; a few threads run
the queries through the same pipeline as all other requests.
"""
