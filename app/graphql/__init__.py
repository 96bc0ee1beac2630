"""GraphQL without SQL: a role's schema, documents, and the values of a request."""
