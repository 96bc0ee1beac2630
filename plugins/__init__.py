"""The features: each module adds one to the API, through the hooks that any other package may use."""
