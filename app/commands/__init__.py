"""One file for each command of ``portico``: its options, its messages and its exit status.

No logic that an API or another command needs: that belongs in the room that the command calls.
"""
