"""The work after a change: events, deletion of bytes that no row names, and the sweep."""
