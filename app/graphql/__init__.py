"""The GraphQL machine: a role's schema, the values of a request, and the walk from fields to SQL expressions."""
