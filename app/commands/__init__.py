"""One file for each command of ``portico``: its options, its messages and its exit status.

Logic that an API or another command needs does not belong here, but in the package that the command calls.
"""
