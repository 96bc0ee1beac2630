"""Queries of the matrix: about one tenant (its value is in the request) and about all rows that the caller may see."""
# ruff: noqa: E501 - documents, in the lines of which fields stay together

from __future__ import annotations

_T1 = "tenantId: { eq: 1 }"

READS: dict[str, str] = {
    # One relation
    "list": "{ bookCollection { edges { cursor node { tenantId id title price published } } } }",
    "list of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ id title stock nodeId }} }} }} }}",
    "by pk": "{ bookByPk(tenantId: 1, id: 2) { title price } }",
    "by pk of no row": "{ bookByPk(tenantId: 1, id: 99) { title } }",
    "by pk of another tenant": "{ bookByPk(tenantId: 2, id: 1) { title } }",
    "by key": '{ bookByKey(key: { tenantIdAndTitle: { tenantId: 1, title: "Beta" } }) { id } }',
    "by node id": '{ node(nodeId: "WyJhcHAiLCJib29rIiwxLDJd") { nodeId ... on Book { title } } }',
    "first": "{ bookCollection(first: 2) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }",
    "last": "{ bookCollection(last: 2) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage } } }",
    "first of a tenant": f"{{ bookCollection(first: 2, filter: {{ {_T1} }}) {{ edges {{ cursor node {{ id }} }}"
    " pageInfo { hasNextPage } } }",
    "after": '{ bookCollection(first: 2, after: "WzEsMl0=") { edges { node { tenantId id } } pageInfo { hasNextPage } } }',
    "before": '{ bookCollection(last: 2, before: "WzEsNF0=") { edges { node { id } } pageInfo { hasPreviousPage } } }',
    "offset": "{ bookCollection(first: 2, offset: 1) { edges { node { id } } } }",
    "order by price": "{ bookCollection(orderBy: [{ price: DescNullsLast }, { title: AscNullsLast }])"
    " { edges { node { id price } } } }",
    "order after": "{ bookCollection(first: 2, orderBy: [{ price: AscNullsFirst }]) { edges { cursor node { title } } } }",
    "total count": "{ bookCollection(first: 1) { totalCount edges { node { id } } } }",
    "count up to": "{ bookCollection(first: 1) { countUpTo(limit: 3) } }",
    "total count of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}) {{ totalCount }} }}",
    "aggregate": "{ bookCollection { aggregate { count sum { stock price } avg { price } min { title } max { published }"
    " } } }",
    "aggregate of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}) {{ aggregate {{ count sum {{ stock }} }} }} }}",
    "aggregate distinct": "{ bookCollection { aggregate { countDistinct { authorId } } } }",
    "groups": "{ bookCollection { groups(by: [{ authorId: Value }]) { key { authorId } aggregate { count } } } }",
    "distinct on": "{ bookCollection(distinctOn: [authorId], orderBy: [{ authorId: AscNullsLast }, { id: AscNullsLast }])"
    " { edges { node { id authorId } } } }",
    "filter in": "{ bookCollection(filter: { id: { in: [1, 3] } }) { edges { node { tenantId id } } } }",
    "filter tenant in": "{ bookCollection(filter: { tenantId: { in: [1] } }) { edges { node { id } } } }",
    "filter or": '{ bookCollection(filter: { or: [{ title: { eq: "Alpha" } }, { price: { gt: "10" } }] })'
    " { edges { node { id } } } }",
    "filter not": '{ bookCollection(filter: { not: { title: { startsWith: "E" } } }) { edges { node { title } } } }',
    "filter like": '{ bookCollection(filter: { title: { ilike: "%ETA%" } }) { edges { node { title } } } }',
    "filter null": "{ bookCollection(filter: { published: { is: NULL } }) { edges { node { title } } } }",
    "filter array": '{ authorCollection(filter: { tags: { contains: ["a"] } }) { edges { node { name tags } } } }',
    "filter tenant or": "{ bookCollection(filter: { or: [{ tenantId: { eq: 1 } }, { tenantId: { eq: 2 } }] })"
    " { edges { node { tenantId id } } } }",
    "two fields": "{ a: bookCollection(first: 1) { edges { node { title } } } b: authorCollection(first: 1)"
    " { edges { node { name } } } }",
    "two tenants": "{ a: bookByPk(tenantId: 1, id: 1) { title } b: bookByPk(tenantId: 2, id: 1) { title } }",
    "computed field": "{ authorCollection { edges { node { label } } } }",
    "json and dates": "{ authorCollection(orderBy: [{ born: AscNullsLast }]) { edges { node { name born data rating } } } }",
    # Related rows
    "nested": "{ authorCollection { edges { node { name bookCollection { edges { node { title } } } } } } }",
    "nested of a tenant": f"{{ authorCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ name bookCollection"
    " { edges { node { title reviewCollection { edges { node { stars } } } } } } } } } }",
    "nested three levels": "{ authorCollection { edges { node { name bookCollection { edges { node { title"
    " reviewCollection { edges { node { stars body } } } } } } } } } }",
    "nested page": "{ authorCollection(first: 2) { edges { node { name bookCollection(first: 1,"
    " orderBy: [{ title: DescNullsLast }]) { edges { cursor node { title } } pageInfo { hasNextPage } } } } } }",
    "nested count": "{ authorCollection { edges { node { name bookCollection { totalCount aggregate"
    " { sum { stock } } } } } } }",
    "nested filter": '{ authorCollection { edges { node { name bookCollection(filter: { price: { lt: "10" } })'
    " { edges { node { title price } } } } } } }",
    "nested groups": "{ authorCollection { edges { node { name bookCollection { groups(by: [{ stock: Value }])"
    " { key { stock } aggregate { count } } } } } } }",
    "parent": "{ bookCollection { edges { node { title author { name } } } } }",
    "parent of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ title author {{ name tenant"
    " { name } } } } } }",
    "grandparent": "{ reviewCollection { edges { node { stars book { title author { name tenant { name } } } } } } }",
    "by pk with children": "{ authorByPk(tenantId: 1, id: 1) { name bookCollection { edges { node { title } } } } }",
    "by pk with parents": "{ reviewByPk(tenantId: 1, id: 1) { stars book { title author { name } } } }",
    "tenant with authors": "{ tenantByPk(id: 1) { name authorCollection { edges { node { name } } } } }",
    "tenants with authors": "{ tenantCollection { edges { node { name authorCollection { edges { node { name"
    " bookCollection { edges { node { title } } } } } } } } } }",
    "junction": "{ bookCollection { edges { node { title genreCollection { edges { node { name } } } } } } }",
    "junction of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ title genreCollection"
    " { edges { node { name } } } } } } }",
    "junction rows": "{ bookGenreCollection { edges { node { bookId genre { name } book { title } } } } }",
    "children by node id": '{ node(nodeId: "WyJhcHAiLCJhdXRob3IiLDEsMV0=") { ... on Author { name bookCollection'
    " { edges { node { title } } } } } }",
    # Filters and orders by related rows
    "filter by parent": '{ bookCollection(filter: { author: { name: { eq: "Ann" } } }) { edges { node { title } } } }',
    "filter by parent of a tenant": f'{{ bookCollection(filter: {{ {_T1}, author: {{ name: {{ eq: "Ann" }} }} }})'
    " { edges { node { title } } } }",
    "filter by child": "{ bookCollection(filter: { reviewCollection: { some: { stars: { gte: 4 } } } })"
    " { edges { node { title } } } }",
    "filter by no child": "{ bookCollection(filter: { reviewCollection: { none: { stars: { gte: 4 } } } })"
    " { edges { node { title } } } }",
    "filter by every child": "{ bookCollection(filter: { reviewCollection: { every: { stars: { gte: 4 } } } })"
    " { edges { node { title } } } }",
    "filter by child of a tenant": f"{{ bookCollection(filter: {{ {_T1}, reviewCollection: {{ some: {{ stars:"
    " { gte: 4 } } } }) { edges { node { title } } } }",
    "filter by existence": "{ bookCollection(filter: { authorExists: false }) { edges { node { title } } } }",
    "filter by aggregate": "{ bookCollection(filter: { reviewCollection: { aggregate: { count: { gt: 1 } } } })"
    " { edges { node { title } } } }",
    "order by parent": "{ bookCollection(orderBy: [{ author: { name: DescNullsLast } }, { id: AscNullsLast }])"
    " { edges { node { title } } } }",
    "order by parent of a tenant": f"{{ bookCollection(filter: {{ {_T1} }}, orderBy: [{{ author: {{ name:"
    " DescNullsLast } }, { id: AscNullsLast }]) { edges { node { title } } } }",
    "order by count": "{ bookCollection(orderBy: [{ reviewCollection: { count: DescNullsLast } },"
    " { title: AscNullsLast }]) { edges { node { title } } } }",
    # Reference, local and other tables
    "reference": "{ countryCollection { edges { node { name code } } } }",
    "parent in a reference table": "{ authorCollection { edges { node { name country { name } } } } }",
    "parent in a reference table, a tenant": f"{{ authorCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ name"
    " country { name } } } } }",
    "children of a reference table": "{ countryCollection { edges { node { name authorCollection"
    " { edges { node { name } } } } } } }",
    "children of a reference table, a tenant": f"{{ countryCollection {{ edges {{ node {{ name authorCollection("
    f"filter: {{ {_T1} }}) {{ edges {{ node {{ name }} }} }} }} }} }} }}",
    "count of a reference table's children": "{ countryCollection { edges { node { name authorCollection"
    " { totalCount } } } } }",
    "filter a reference table": '{ countryCollection(filter: { authorCollection: { some: { name: { eq: "Ann" } } } })'
    " { edges { node { name } } } }",
    "filter by a reference table": '{ authorCollection(filter: { country: { code: { eq: "NO" } } })'
    " { edges { node { name } } } }",
    "order by a reference table": "{ authorCollection(orderBy: [{ country: { name: AscNullsLast } },"
    " { name: AscNullsLast }]) { edges { node { name } } } }",
    "local": "{ memoCollection { edges { node { body } } } }",
    "local and distributed": "{ memoCollection { edges { node { body } } } bookCollection(first: 2)"
    " { edges { node { title } } } }",
    "another column": "{ deviceCollection { edges { node { id label } } } }",
    "another column, nested": "{ deviceCollection { edges { node { label measureCollection { edges { node { value } } }"
    " } } } }",
    "another column, by pk": "{ deviceByPk(id: 10) { label measureCollection { edges { node { value } } } } }",
    "another column, parent": "{ measureCollection { edges { node { value device { label } } } } }",
    "another column, aggregate": "{ measureCollection(orderBy: [{ value: AscNullsLast }]) { edges { node { value } } } }",
    "both groups": "{ deviceCollection { edges { node { label } } } bookCollection { edges { node { title } } } }",
    "view": "{ cheapBookCollection { edges { node { title price } } } }",
    "view of a tenant": f"{{ cheapBookCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ title }} }} }} }}",
    "identity": "{ eventCollection(orderBy: [{ note: AscNullsLast }]) { edges { node { kind note } } } }",
    # Functions
    "set function": "{ booksOf(tenant: 1) { edges { node { title } } } }",
    "set function with children": "{ booksOf(tenant: 1) { edges { node { title reviewCollection"
    " { edges { node { stars } } } } } } }",
    "set function, filtered": '{ booksOf(tenant: 1, filter: { title: { gt: "B" } }, first: 2) { edges { node { title } }'
    " pageInfo { hasNextPage } } }",
    "set function with parents": "{ booksOf(tenant: 1) { edges { node { title author { name } } } } }",
    "plpgsql set function": '{ booksByTitle(part: "eta") { edges { node { title } } } }',
    "plpgsql set function, counted": '{ booksByTitle(part: "a", first: 1) { edges { node { title } }'
    " pageInfo { hasNextPage } } }",
    "scalar function": "{ bookCount(tenant: 1) }",
    "row function": "{ firstBook(tenant: 1) { title } }",
    "row function with children": "{ firstBook(tenant: 1) { title reviewCollection { edges { node { stars } } } } }",
    "scalar function in SQL": "{ sqlCount(tenant: 1) }",
    "row function in SQL": "{ sqlFirst(tenant: 1) { title } }",
    "table function in SQL": "{ sqlTitles(tenant: 1) { title price } }",
    "computed field that reads": "{ authorCollection { edges { node { name bookTotal } } } }",
    "computed field that reads, of a tenant": f"{{ authorCollection(filter: {{ {_T1} }}) {{ edges {{ node {{ bookTotal }} }} }} }}",
    "set function with parents, of a tenant": f"{{ booksOf(tenant: 1, filter: {{ {_T1} }}) {{ edges {{ node {{ title author {{ name }} }} }} }} }}",
    "set function with a page of children": f"{{ booksOf(tenant: 1, filter: {{ {_T1} }}, first: 1) {{ edges {{ node {{ title reviewCollection(first: 1) {{ edges {{ node {{ stars }} }} }} }} }} pageInfo {{ hasNextPage }} }} }}",
    "claim of a function": "{ who }",
    "function beside a list": "{ bookCount(tenant: 1) bookCollection(first: 1) { edges { node { title } } } }",
    # Refused on any database
    "unknown field": "{ bookCollection { edges { node { nothing } } } }",
    "bad value": '{ bookCollection(filter: { published: { eq: "never" } }) { edges { node { id } } } }',
    "bad cursor": '{ bookCollection(after: "x") { edges { node { id } } } }',
}
