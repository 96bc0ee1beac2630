"""Lists of one value, and of others, in filters of the matrix."""
# ruff: noqa: E501 - documents, in the lines of which fields stay together

from __future__ import annotations

LISTS: dict[str, str] = {
    "in literal scalar": "{ bookCollection(filter: { tenantId: { in: 1 } }) { edges { node { title author { name } } } } }",
    "prices in": '{ bookCollection(filter: { tenantId: { eq: 1 }, price: { in: ["9.5"] } }) { edges { node { title price } } } }',
    "dates in": '{ bookCollection(filter: { published: { in: ["2001-01-01"] } }) { edges { node { title } } } }',
    "dates in bad": '{ bookCollection(filter: { published: { in: ["x"] } }) { edges { node { title } } } }',
    "in too big": "{ bookCollection(filter: { tenantId: { in: [99999999999] } }) { edges { node { title } } } }",
}

VARIABLES_OF_LISTS: dict[str, tuple[str, dict[str, object]]] = {
    "nested parts": (
        "mutation ($t: Int!, $n: String!, $b: [BookInsertInput!]!) { insertIntoAuthorCollection(objects: [{ tenantId: $t, id: 80, name: $n, bookCollection: { objects: $b } }]) { records { name bookCollection { edges { node { title } } } } } }",
        {"t": 1, "n": "N", "b": [{"id": 82, "title": "K"}, {"id": 81, "title": "J"}]},
    ),
    "tenant filter": (
        "query ($f: BookFilter) { bookCollection(filter: $f) { edges { node { title author { name } } } } }",
        {"f": {"tenantId": {"in": [1]}}},
    ),
    "tenant filter eq": (
        "query ($f: BookFilter) { bookCollection(filter: $f, distinctOn: [authorId]) { edges { node { title author { name } } } } }",
        {"f": {"tenantId": {"eq": 1}}},
    ),
    "tenant null": (
        "query ($t: Int) { bookCollection(filter: { tenantId: { eq: $t } }) { edges { node { title author { name } } } } }",
        {"t": None},
    ),
    "tenant absent": (
        "query ($t: Int) { bookCollection(filter: { tenantId: { eq: $t } }) { edges { node { title author { name } } } } }",
        {},
    ),
    "tenant list of var": (
        "query ($t: Int!) { bookCollection(filter: { tenantId: { in: [$t] } }) { edges { node { title author { name } } } } }",
        {"t": 1},
    ),
    "tenant list two": (
        "query ($t: [Int!]!) { bookCollection(filter: { tenantId: { in: $t } }) { edges { node { title author { name } } } } }",
        {"t": [1, 2]},
    ),
    "tenant list coerced": (
        "query ($t: [Int!]!) { bookCollection(filter: { tenantId: { in: $t } }) { edges { node { title author { name } } } } }",
        {"t": 1},
    ),
    "tenant list empty": (
        "query ($t: [Int!]!) { bookCollection(filter: { tenantId: { in: $t } }) { edges { node { title author { name } } } } }",
        {"t": []},
    ),
    "tenant list null": (
        "query ($t: [Int!]) { bookCollection(filter: { tenantId: { in: $t } }) { edges { node { title author { name } } } } }",
        {"t": None},
    ),
    "in titles": (
        "query ($t: [String!]!) { bookCollection(filter: { title: { in: $t } }) { edges { node { title } } } }",
        {"t": ["Alpha"]},
    ),
    "in negated": (
        "query ($t: [Int!]!) { bookCollection(filter: { not: { tenantId: { in: $t } } }) { edges { node { title } } } }",
        {"t": [1]},
    ),
    "not in": (
        "query ($t: [Int!]!) { bookCollection(filter: { tenantId: { not: { in: $t } } }) { edges { node { title } } } }",
        {"t": [1]},
    ),
    "bulk literal with var": (
        "mutation ($t: Int!) { updateBookCollectionByKey(updates: [{ key: { tenantIdAndId: { tenantId: $t, id: 1 } }, set: { stock: 3 } }, { key: { tenantIdAndId: { tenantId: $t, id: 2 } }, set: { stock: 4 } }]) { records { id stock } } }",
        {"t": 1},
    ),
    "key": (
        "mutation ($k: BookKeyInput!) { updateBookByKey(key: $k, set: { stock: 3 }) { id stock author { name } } }",
        {"k": {"tenantIdAndId": {"tenantId": 1, "id": 1}}},
    ),
    "node": (
        "query ($n: ID!) { node(nodeId: $n) { ... on Author { name bookCollection { edges { node { title } } } } } }",
        {"n": "WyJhcHAiLCJhdXRob3IiLDEsMV0="},
    ),
}
