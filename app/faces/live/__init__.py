"""Live queries: a query whose answer is sent again whenever it has changed.

They are a process of their own, ``portico live``, because a stream stays open for as long as its viewer looks, and a
worker of ``portico serve`` would need a thread for each. One thread of asyncio holds all streams; a few threads run the
queries through the same pipeline as everything else.
"""
