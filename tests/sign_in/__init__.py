"""Sign-in for development: the distribution in signin/."""
