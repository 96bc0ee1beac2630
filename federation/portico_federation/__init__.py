"""A role's schema as a subgraph of Apollo Federation 2.

Follows the subgraph specification
(https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec).
"""
