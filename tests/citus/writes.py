"""Mutations of the matrix, without nested inserts."""
# ruff: noqa: E501 - documents, in the lines of which fields stay together

from __future__ import annotations

from collections.abc import Iterable

_BOOKS = '[{ tenantId: 1, id: 23, title: "N", price: "3" }, { tenantId: 1, id: 21, title: "M" }]'
_KNOWN = '[{ tenantId: 1, id: 1, title: "New", stock: 2 }, { tenantId: 1, id: 31, title: "Other" }]'
_PK, _TITLE = "constraint: book_pkey", "constraint: book_title"


def _book(arguments: str, selection: str = "affectedCount records { id title price stock }") -> str:
    return f"mutation {{ insertIntoBookCollection({arguments}) {{ {selection} }} }}"


def _upsert(conflict: str, objects: str = _KNOWN, selection: str = "affectedCount records { id title stock }") -> str:
    return _book(f"objects: {objects}, onConflict: {{ {conflict} }}", selection)


def _many(ids: Iterable[int], more: str = "stock: 1") -> str:
    return "[" + ", ".join(f'{{ tenantId: 1, id: {n}, title: "t{n}", {more} }}' for n in ids) + "]"


WRITES: dict[str, str] = {
    # Inserts
    "insert": _book('objects: [{ tenantId: 1, id: 20, title: "New" }]'),
    "insert two": _book(f"objects: {_BOOKS}"),
    "insert two of two tenants": _book(
        'objects: [{ tenantId: 2, id: 40, title: "B" }, { tenantId: 1, id: 41, title: "A" }]',
        "affectedCount records { tenantId id title }",
    ),
    "insert many": _book(f"objects: {_many(range(60, 40, -1))}", "records { id title }"),
    "insert uneven": _book(
        'objects: [{ tenantId: 1, id: 22, title: "N", stock: 4 }, { tenantId: 1, id: 20, title: "M" }]'
    ),
    "insert, read parent": _book(
        'objects: [{ tenantId: 1, id: 20, authorId: 2, title: "New" }]', "records { title author { name } }"
    ),
    "insert, read children": _book(
        'objects: [{ tenantId: 1, id: 20, authorId: 2, title: "New" }]',
        "records { title author { name bookCollection { edges { node { title } } } } reviewCollection"
        " { edges { node { stars } } } }",
    ),
    "insert, read node id": _book('objects: [{ tenantId: 1, id: 20, title: "New" }]', "records { nodeId }"),
    "insert with default": 'mutation { insertIntoEventCollection(objects: [{ tenantId: 1, note: "x" }])'
    " { affectedCount records { kind note } } }",
    "insert twice the same": _book('objects: [{ tenantId: 1, id: 1, title: "Dup" }]'),
    "insert a duplicate title": _book('objects: [{ tenantId: 1, id: 50, title: "Alpha" }]'),
    "insert an orphan": _book('objects: [{ tenantId: 1, id: 50, authorId: 77, title: "Orphan" }]'),
    "insert against a check": 'mutation { insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 50, name: "Bad",'
    ' rating: "-1" }]) { affectedCount } }',
    "insert too long": 'mutation { insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 50, name: "Bad",'
    ' rating: "1000" }]) { affectedCount } }',
    "insert without tenant": _book('objects: [{ id: 50, title: "Nobody" }]'),
    "insert of another tenant": _book('objects: [{ tenantId: 2, id: 50, title: "Theirs" }]'),
    "insert a tenant": 'mutation { insertIntoTenantCollection(objects: [{ id: 9, name: "nine" }]) { records { name } } }',
    "insert a country": 'mutation { insertIntoCountryCollection(objects: [{ id: 9, name: "Peru" }]) { records { name } } }',
    "insert a memo": 'mutation { insertIntoMemoCollection(objects: [{ id: 9, body: "x" }]) { records { id body } } }',
    "insert a device": 'mutation { insertIntoDeviceCollection(objects: [{ id: 19, tenantId: 1, label: "x" }])'
    " { records { id label measureCollection { edges { node { value } } } } } }",
    "insert a measure": "mutation { insertIntoMeasureCollection(objects: [{ deviceId: 10, id: 7, tenantId: 1,"
    ' value: "4" }]) { records { value device { label } } } }',
    "insert with arrays": 'mutation { insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 50, name: "Tag",'
    ' tags: ["x", "y"], data: "{\\"a\\": [1]}", born: "2000-01-01" }]) { records { tags data born label } } }',
    "insert into two": 'mutation { a: insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 60, name: "P" }])'
    ' { records { name } } b: insertIntoBookCollection(objects: [{ tenantId: 1, id: 60, authorId: 60, title: "C" }])'
    " { records { title author { name } } } }",
    "insert, then fail": 'mutation { a: insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 60, name: "P" }])'
    ' { affectedCount } b: insertIntoBookCollection(objects: [{ tenantId: 1, id: 1, title: "C" }]) { affectedCount } }',
    # Upserts
    "upsert nothing": _upsert(_PK),
    "upsert any": _upsert(""),
    "upsert update": _upsert(f"{_PK}, updateColumns: [title, stock]"),
    "upsert add": _upsert(f"{_PK}, addColumns: [stock]", selection="affectedCount insertedCount records { id stock }"),
    "upsert inserted count": _upsert(f"{_PK}, updateColumns: [title]", selection="affectedCount insertedCount"),
    "upsert by title": _upsert(
        f"{_TITLE}, updateColumns: [stock]", '[{ tenantId: 1, id: 90, title: "Alpha", stock: 90 }]'
    ),
    "upsert filter": _upsert(f"{_PK}, updateColumns: [title], filter: {{ stock: {{ gt: 2 }} }}"),
    "upsert filter without match": _upsert(f"{_PK}, updateColumns: [title], filter: {{ stock: {{ gt: 99 }} }}"),
    "upsert existing": _upsert(_PK, selection="affectedCount insertedCount records { id } existing { id title stock }"),
    "upsert existing with children": _upsert(
        _PK, selection="records { id } existing { id author { name } reviewCollection { edges { node { stars } } } }"
    ),
    "upsert existing by title": _upsert(
        _TITLE, '[{ tenantId: 1, id: 90, title: "Alpha" }]', "affectedCount existing { id title }"
    ),
    "upsert many": _upsert(
        f"{_PK}, updateColumns: [stock]", _many((9, 4, 8, 1, 7), "stock: 6"), "records { id title stock }"
    ),
    "upsert a country": 'mutation { insertIntoCountryCollection(objects: [{ id: 1, name: "N" }, { id: 8, name: "P" }],'
    " onConflict: { constraint: country_pkey, updateColumns: [name] }) { insertedCount records { id name } } }",
    "upsert a country, existing": 'mutation { insertIntoCountryCollection(objects: [{ id: 1, name: "N" }, { id: 8,'
    ' name: "P" }], onConflict: { constraint: country_pkey }) { records { id } existing { name } } }',
    "upsert twice": _upsert(
        f"{_PK}, updateColumns: [title]", '[{ tenantId: 1, id: 1, title: "x" }, { tenantId: 1, id: 1, title: "y" }]'
    ),
    # Updates
    "update": 'mutation { updateBookCollection(set: { title: "U" }, filter: { tenantId: { eq: 1 }, id: { eq: 2 } })'
    " { affectedCount records { id title } } }",
    "update without tenant": 'mutation { updateBookCollection(set: { price: "1" }, filter: { title: { eq: "Beta" } })'
    " { affectedCount records { id title price } } }",
    "update all": "mutation { updateBookCollection(set: { stock: 1 }, atMost: 20) { affectedCount } }",
    "update too many": "mutation { updateBookCollection(set: { stock: 1 }, atMost: 2) { affectedCount } }",
    "update inc": "mutation { updateBookCollection(inc: { stock: 5 }, filter: { tenantId: { eq: 1 } }, atMost: 9)"
    " { affectedCount } }",
    "update by key": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 2 } }, set: { stock: 8 })"
    " { id stock author { name } reviewCollection { edges { node { stars } } } } }",
    "update by key of no row": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 99 } },"
    " set: { stock: 8 }) { id } }",
    "update by title": 'mutation { updateBookByKey(key: { tenantIdAndTitle: { tenantId: 1, title: "Beta" } },'
    " set: { stock: 8 }) { id stock } }",
    "update by node id": 'mutation { updateBookByKey(key: { nodeId: "WyJhcHAiLCJib29rIiwxLDJd" }, set: { stock: 8 })'
    " { id stock } }",
    "update, read children": "mutation { updateBookCollection(set: { stock: 8 }, filter: { tenantId: { eq: 1 },"
    " id: { eq: 1 } }) { records { title author { name } reviewCollection { edges { node { stars } } } } } }",
    "update across, read children": 'mutation { updateBookCollection(set: { stock: 8 }, filter: { title: { eq: "Alpha" }'
    " }) { records { title author { name } reviewCollection { edges { node { stars } } } } } }",
    "update across, read parent": 'mutation { updateBookCollection(set: { stock: 8 }, filter: { title: { eq: "Alpha" }'
    " }) { records { title author { name } } } }",
    "update by parent": 'mutation { updateBookCollection(set: { stock: 8 }, filter: { author: { name: { eq: "Ann" } } },'
    " atMost: 5) { affectedCount } }",
    "update by parent of a tenant": "mutation { updateBookCollection(set: { stock: 8 }, filter: { tenantId: { eq: 1 },"
    ' author: { name: { eq: "Ann" } } }, atMost: 5) { affectedCount } }',
    "update the tenant": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 2 } }, set: { tenantId: 2 })"
    " { id } }",
    "update the tenant to itself": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 2 } },"
    " set: { tenantId: 1, stock: 9 }) { id stock } }",
    "update arrays": 'mutation { updateAuthorByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } }, append: { tags: ["z"] },'
    ' merge: { data: "{\\"n\\": 2}" }, inc: { rating: "0.25" }) { tags data rating } }',
    "update of another tenant": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 2, id: 1 } },"
    " set: { stock: 8 }) { id } }",
    "update a key that others refer to": "mutation { updateAuthorByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } },"
    " set: { id: 70 }) { id } }",
    "update against a check": "mutation { updateAuthorByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } },"
    ' set: { rating: "-1" }) { id } }',
    "update to a duplicate": "mutation { updateBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } },"
    ' set: { title: "Beta" }) { id } }',
    "update a country": 'mutation { updateCountryCollection(set: { name: "C" }, filter: { id: { eq: 2 } })'
    " { records { name } } }",
    "update a country, read children": 'mutation { updateCountryCollection(set: { name: "C" }, filter: { id: { eq: 2 } })'
    " { records { name authorCollection { edges { node { name } } } } } }",
    "update a memo": 'mutation { updateMemoCollection(set: { body: "C" }, filter: { id: { eq: 2 } }) { records { body } } }',
    "update a device": 'mutation { updateDeviceByKey(key: { id: 10 }, set: { label: "L" }) { label measureCollection'
    " { edges { node { value } } } } }",
    "update measures": 'mutation { updateMeasureCollection(set: { value: "0" }, atMost: 9) { affectedCount } }',
    "update a view": "mutation { updateCheapBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } },"
    ' set: { price: "2" }) { price } }',
    # Bulk updates
    "bulk update": "mutation { updateBookCollectionByKey(updates: ["
    "{ key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 33 } },"
    ' { key: { tenantIdAndId: { tenantId: 1, id: 1 } }, set: { title: "One" } }]) { affectedCount'
    " records { id title stock } } }",
    "bulk update of no row": "mutation { updateBookCollectionByKey(updates: ["
    "{ key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 33 } },"
    " { key: { tenantIdAndId: { tenantId: 1, id: 99 } }, set: { stock: 1 } }]) { records { id stock } } }",
    "bulk update twice one row": "mutation { updateBookCollectionByKey(updates: ["
    "{ key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 33 } },"
    " { key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 1 } }]) { records { id stock } } }",
    "bulk update of two tenants": "mutation { updateBookCollectionByKey(updates: ["
    "{ key: { tenantIdAndId: { tenantId: 2, id: 3 } }, set: { stock: 33 } },"
    " { key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 1 } }]) { records { tenantId id stock } } }",
    "bulk update, read parent": "mutation { updateBookCollectionByKey(updates: ["
    "{ key: { tenantIdAndId: { tenantId: 1, id: 3 } }, set: { stock: 33 } },"
    " { key: { tenantIdAndId: { tenantId: 1, id: 1 } }, set: { stock: 1 } }]) { records { id stock author { name } } } }",
    "bulk update by title": "mutation { updateBookCollectionByKey(updates: ["
    '{ key: { tenantIdAndTitle: { tenantId: 1, title: "Beta" } }, set: { stock: 33 } },'
    ' { key: { tenantIdAndTitle: { tenantId: 1, title: "Alpha" } }, set: { stock: 1 } }]) { records { title stock } } }',
    "bulk update of countries": 'mutation { updateCountryCollectionByKey(updates: [{ key: { id: 2 }, set: { name: "b" } },'
    ' { key: { id: 1 }, set: { name: "a" } }]) { records { id name } } }',
    # Deletes
    "delete": "mutation { deleteFromReviewCollection(filter: { tenantId: { eq: 1 }, id: { eq: 2 } })"
    " { affectedCount records { id body } } }",
    "delete across": 'mutation { deleteFromReviewCollection(filter: { body: { eq: "fair" } }) { affectedCount'
    " records { body } } }",
    "delete by key": "mutation { deleteFromReviewByKey(key: { tenantIdAndId: { tenantId: 1, id: 2 } }) { body"
    " book { title } } }",
    "delete too many": "mutation { deleteFromReviewCollection(atMost: 1) { affectedCount } }",
    "delete a parent": "mutation { deleteFromAuthorByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } }) { name } }",
    "delete cascades": "mutation { deleteFromBookByKey(key: { tenantIdAndId: { tenantId: 1, id: 1 } }) { title } }",
    "delete by child": "mutation { deleteFromBookCollection(filter: { reviewCollection: { some: { stars: { eq: 1 } } } })"
    " { affectedCount } }",
    "delete a country": "mutation { deleteFromCountryCollection(filter: { id: { eq: 3 } }) { records { name } } }",
    "delete a country that others refer to": "mutation { deleteFromCountryCollection(filter: { id: { eq: 1 } })"
    " { affectedCount } }",
    # Functions, and several fields
    "function that updates": 'mutation { renameBook(tenant: 1, book: 1, title: "R") { title stock } }',
    "function that updates, with children": 'mutation { renameBook(tenant: 1, book: 1, title: "R") { title reviewCollection'
    " { edges { node { stars } } } author { name } } }",
    "function that updates rows": "mutation { restock(tenant: 1, more: 3, orderBy: [{ id: AscNullsLast }])"
    " { edges { node { id stock } } } }",
    "function that updates rows, with parents": "mutation { restock(tenant: 1, more: 3, orderBy: [{ id: AscNullsLast }])"
    " { edges { node { id stock author { name } } } } }",
    "update, delete and insert": "mutation { u: updateBookCollection(set: { stock: 7 }, filter: { tenantId: { eq: 1 },"
    " id: { eq: 1 } }) { affectedCount } d: deleteFromReviewCollection(filter: { tenantId: { eq: 1 }, id: { eq: 1 } })"
    ' { affectedCount } i: insertIntoBookCollection(objects: [{ tenantId: 1, id: 70, title: "Z" }]) { affectedCount } }',
    "update, delete and fail": "mutation { u: updateBookCollection(set: { stock: 7 }, filter: { tenantId: { eq: 1 },"
    " id: { eq: 1 } }) { affectedCount } d: deleteFromReviewCollection(filter: { tenantId: { eq: 1 }, id: { eq: 1 } })"
    ' { affectedCount } i: insertIntoBookCollection(objects: [{ tenantId: 1, id: 1, title: "Z" }]) { affectedCount } }',
    "both groups": "mutation { a: updateBookCollection(set: { stock: 7 }, filter: { tenantId: { eq: 1 }, id: { eq: 1 } })"
    ' { affectedCount } b: updateDeviceByKey(key: { id: 12 }, set: { label: "q" }) { label } }',
    "local and distributed": 'mutation { a: updateMemoCollection(set: { body: "q" }, filter: { id: { eq: 1 } })'
    " { affectedCount } b: updateBookCollection(set: { stock: 7 }, filter: { tenantId: { eq: 1 }, id: { eq: 1 } })"
    " { affectedCount } }",
}
