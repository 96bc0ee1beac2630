"""Features of the GraphQL API, one file each."""
