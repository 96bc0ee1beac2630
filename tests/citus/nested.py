"""Nested inserts of the matrix."""
# ruff: noqa: E501 - documents, in the lines of which fields stay together

from __future__ import annotations


def _author(
    objects: str,
    selection: str = "affectedCount records { id name bookCollection { edges { node { id title } } } }",
    conflict: str = "",
) -> str:
    return f"mutation {{ insertIntoAuthorCollection(objects: [{objects}]{conflict}) {{ {selection} }} }}"


def _book(
    objects: str, selection: str = "affectedCount records { id title author { id name } }", conflict: str = ""
) -> str:
    return f"mutation {{ insertIntoBookCollection(objects: [{objects}]{conflict}) {{ {selection} }} }}"


_BOOKS = 'bookCollection: { objects: [{ id: 82, title: "K" }, { id: 81, title: "J" }] }'
_ANN = "author: { connect: { tenantIdAndId: { tenantId: 1, id: 1 } } }"

NESTED: dict[str, str] = {
    "parent and children": _author(f'{{ tenantId: 1, id: 80, name: "N", {_BOOKS} }}'),
    "count alone": _author(f'{{ tenantId: 1, id: 80, name: "N", {_BOOKS} }}', "affectedCount"),
    "records without children": _author(f'{{ tenantId: 1, id: 80, name: "N", {_BOOKS} }}', "records { id name }"),
    "two parents": _author(
        '{ tenantId: 1, id: 81, name: "N", bookCollection: { objects: [{ id: 82, title: "K" }] } },'
        ' { tenantId: 1, id: 80, name: "M", bookCollection: { objects: [{ id: 81, title: "J" }] } }'
    ),
    "two parents of two tenants": _author(
        '{ tenantId: 2, id: 81, name: "N", bookCollection: { objects: [{ id: 82, title: "K" }] } },'
        ' { tenantId: 1, id: 80, name: "M", bookCollection: { objects: [{ id: 81, title: "J" }] } }'
    ),
    "three levels": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 82, title: "K",'
        " reviewCollection: { objects: [{ id: 90, stars: 3 }, { id: 91, stars: 4 }] } }] } }",
        "records { name bookCollection { edges { node { title reviewCollection { edges { node { stars } } } } } } }",
    ),
    "child with new parent": _book('{ id: 80, title: "N", author: { object: { tenantId: 1, id: 80, name: "P" } } }'),
    "child with two levels of parents": "mutation { insertIntoReviewCollection(objects: [{ id: 80, stars: 2, book: { object: {"
    ' id: 80, title: "B", author: { object: { tenantId: 1, id: 80, name: "P" } } } } }]) { records { stars book { title'
    " author { name } } } } }",
    "child with known parent": _book(f'{{ id: 80, title: "N", {_ANN} }}'),
    "children with known and new parents": _book(
        f'{{ id: 80, title: "N", {_ANN} }},'
        ' { id: 79, title: "O", author: { object: { tenantId: 1, id: 80, name: "P" } } }'
    ),
    "child with unknown parent": _book(
        '{ id: 80, title: "N", author: { connect: { tenantIdAndId: { tenantId: 1, id: 99 } } } }'
    ),
    "parent in a reference table": _author(
        '{ tenantId: 1, id: 80, name: "N", country: { connect: { code: "NO" } } }', "records { name country { name } }"
    ),
    "new parent in a reference table": _author(
        '{ tenantId: 1, id: 80, name: "N", country: { object: { id: 50, name: "Oz" } } }',
        "records { name country { name } }",
    ),
    "new tenant": 'mutation { insertIntoAuthorCollection(objects: [{ id: 1, name: "N", tenant: { object: { id: 8,'
    ' name: "eight" } } }]) { records { tenantId id tenant { name } } } }',
    "known tenant": 'mutation { insertIntoAuthorCollection(objects: [{ id: 90, name: "N", tenant: { connect: { id: 1 } } }])'
    " { records { tenantId id tenant { name } } } }",
    "tenant with authors": 'mutation { insertIntoTenantCollection(objects: [{ id: 8, name: "eight", authorCollection:'
    ' { objects: [{ id: 1, name: "A", bookCollection: { objects: [{ id: 1, title: "T" }] } }] } }]) { records { name'
    " authorCollection { edges { node { name bookCollection { edges { node { title } } } } } } } } }",
    "connect children": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { connect: [{ tenantIdAndId:'
        " { tenantId: 1, id: 5 } }, { tenantIdAndId: { tenantId: 1, id: 3 } }] } }"
    ),
    "connect children by title": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { connect: ['
        '{ tenantIdAndTitle: { tenantId: 1, title: "Epsilon" } }] } }'
    ),
    "connect and create children": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 81,'
        ' title: "J" }], connect: [{ tenantIdAndId: { tenantId: 1, id: 5 } }] } }'
    ),
    "connect an unknown child": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { connect: [{ tenantIdAndId: { tenantId: 1, id: 77 } }] } }'
    ),
    "connect a child of another tenant": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { connect: [{ tenantIdAndId: { tenantId: 2, id: 1 } }] } }'
    ),
    "connect children of a reference table": 'mutation { insertIntoCountryCollection(objects: [{ id: 60, name: "Q",'
    " authorCollection: { connect: [{ tenantIdAndId: { tenantId: 1, id: 3 } }] } }]) { records { name authorCollection"
    " { edges { node { name } } } } } }",
    "children of a reference table": 'mutation { insertIntoCountryCollection(objects: [{ id: 60, name: "Q",'
    ' authorCollection: { objects: [{ tenantId: 1, id: 83, name: "X" }] } }]) { affectedCount } }',
    "children that conflict": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 1, title: "J" }] } }'
    ),
    "children with upsert": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 1, title: "J" },'
        ' { id: 84, title: "L" }], onConflict: { constraint: book_pkey, updateColumns: [title, authorId] } } }'
    ),
    "parent with upsert": _author(
        '{ tenantId: 1, id: 1, name: "Again", bookCollection: { objects: [{ id: 84, title: "L" }] } }',
        conflict=", onConflict: { constraint: author_pkey, updateColumns: [name] }",
    ),
    "parent that stays": _author(
        '{ tenantId: 1, id: 1, name: "Again", bookCollection: { objects: [{ id: 84, title: "L" }] } }',
        "affectedCount records { id }",
        ", onConflict: { constraint: author_pkey }",
    ),
    "known or new parent": _book(
        '{ id: 80, title: "N", author: { object: { tenantId: 1, id: 1, name: "P" },'
        " onConflict: { constraint: author_pkey } } }"
    ),
    "links of a junction": _book(
        '{ tenantId: 1, id: 80, title: "N", bookGenreCollection: { objects: [{ genre: { connect:'
        " { tenantIdAndId: { tenantId: 1, id: 1 } } } }] } }",
        "records { title genreCollection { edges { node { name } } } }",
    ),
    "new rows of a junction": _book(
        '{ tenantId: 1, id: 80, title: "N", bookGenreCollection: { objects: [{ genre: { object:'
        ' { tenantId: 1, id: 70, name: "g" } } }] } }',
        "records { title genreCollection { edges { node { name } } } }",
    ),
    "another column": 'mutation { insertIntoDeviceCollection(objects: [{ id: 30, tenantId: 1, label: "d",'
    ' measureCollection: { objects: [{ id: 1, tenantId: 1, value: "2" }, { id: 2, tenantId: 1, value: "1" }] } }])'
    " { records { label measureCollection { edges { node { value } } } } } }",
    "nested twice": 'mutation { a: insertIntoAuthorCollection(objects: [{ tenantId: 1, id: 80, name: "N", bookCollection: {'
    ' objects: [{ id: 81, title: "J" }] } }]) { affectedCount } b: insertIntoBookCollection(objects: [{ id: 83, title: "O",'
    " author: { connect: { tenantIdAndId: { tenantId: 1, id: 80 } } } }]) { records { title author { name bookCollection"
    " { edges { node { title } } } } } } }",
    "children by another key": _author(
        '{ tenantId: 1, id: 80, name: "N", email: "n@x", badgeCollection: { objects: [{ id: 1 }, { id: 2 }] } }',
        "records { badgeCollection { edges { node { id email } } } }",
    ),
    "children by a key that is null": _author(
        '{ tenantId: 1, id: 80, name: "N", badgeCollection: { objects: [{ id: 1 }] } }', "affectedCount"
    ),
    "children lacking a value": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 81 }] } }'
    ),
    "defaults of children": _author(
        '{ tenantId: 1, id: 80, name: "N", bookCollection: { objects: [{ id: 81, title: "a",'
        ' stock: 4 }, { id: 82, title: "b" }] } }',
        "records { bookCollection { edges { node { title stock } } } }",
    ),
}

VARIABLES: dict[str, tuple[str, dict[str, object]]] = {
    "insert a variable": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { records { id title } } }",
        {"o": [{"tenantId": 1, "id": n, "title": f"v{n}"} for n in (25, 21, 23)]},
    ),
    "insert a variable, read parents": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { records { id title"
        " author { name } reviewCollection { edges { node { stars } } } } } }",
        {"o": [{"tenantId": 1, "id": n, "authorId": 1, "title": f"v{n}"} for n in (25, 21)]},
    ),
    "insert a variable, uneven": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { affectedCount records { id title price authorId } } }",
        {
            "o": [
                {"tenantId": 1, "id": 25, "title": "a", "price": None},
                {"id": 21, "title": "b", "tenantId": 1, "authorId": 1},
                {"tenantId": 1, "title": "c", "id": 23, "price": "7.255"},
            ]
        },
    ),
    "insert a variable, lists": (
        "mutation ($o: [AuthorInsertInput!]!) { insertIntoAuthorCollection(objects: $o) { records { id tags data born } } }",
        {
            "o": [
                {"tenantId": 1, "id": 85, "name": "x", "tags": ["a,b", "c", None], "data": '{"a": [1]}', "born": None},
                {"tenantId": 1, "id": 84, "name": "y", "tags": [], "data": None, "born": "2000-01-01"},
            ]
        },
    ),
    "insert a variable, one does not fit": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { affectedCount } }",
        {"o": [{"tenantId": 1, "id": n, "title": f"v{n}", "price": "12345678901"} for n in (25, 21)]},
    ),
    "insert a variable of many": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { affectedCount records { id title } } }",
        {"o": [{"tenantId": 1, "id": n, "title": f"v{n}"} for n in range(300, 401)]},
    ),
    "insert a variable of reference rows": (
        "mutation ($o: [CountryInsertInput!]!) { insertIntoCountryCollection(objects: $o) { records { id name } } }",
        {"o": [{"id": n, "name": f"c{n}"} for n in (95, 91)]},
    ),
    "insert a variable of local rows": (
        "mutation ($o: [MemoInsertInput!]!) { insertIntoMemoCollection(objects: $o) { records { id body } } }",
        {"o": [{"id": n, "body": f"m{n}"} for n in (95, 91)]},
    ),
    "insert a variable of two tenants": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o) { records { tenantId id title } } }",
        {"o": [{"tenantId": t, "id": 30 + t, "title": f"v{t}"} for t in (3, 1, 2)]},
    ),
    "upsert a variable": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o, onConflict: { constraint: book_pkey,"
        " updateColumns: [title] }) { insertedCount records { id title } } }",
        {"o": [{"tenantId": 1, "id": n, "title": f"v{n}"} for n in (25, 1, 23)]},
    ),
    "upsert a variable, existing": (
        "mutation ($o: [BookInsertInput!]!) { insertIntoBookCollection(objects: $o, onConflict: { constraint: book_pkey })"
        " { records { id } existing { id title } } }",
        {"o": [{"tenantId": 1, "id": n, "title": f"v{n}"} for n in (2, 1, 23)]},
    ),
    "nested insert of a variable": (
        "mutation ($o: [AuthorInsertInput!]!) { insertIntoAuthorCollection(objects: $o) { records { name bookCollection"
        " { edges { node { title } } } } } }",
        {
            "o": [
                {"tenantId": 1, "id": n, "name": f"n{n}", "bookCollection": {"objects": [{"id": n, "title": f"t{n}"}]}}
                for n in (85, 84)
            ]
        },
    ),
    "nested insert of a variable, uneven": (
        "mutation ($o: [AuthorInsertInput!]!) { insertIntoAuthorCollection(objects: $o) { records { name rating bookCollection"
        " { edges { node { title price } } } } } }",
        {
            "o": [
                {
                    "tenantId": 1,
                    "id": 85,
                    "name": "two",
                    "rating": "3",
                    "bookCollection": {
                        "objects": [{"id": 85, "title": "a", "price": "2.5"}, {"id": 81, "title": "b"}],
                        "connect": [{"tenantIdAndId": {"tenantId": 1, "id": 5}}],
                    },
                },
                {"tenantId": 1, "id": 84, "name": "none"},
                {"tenantId": 1, "id": 83, "name": "one", "bookCollection": {"objects": [{"id": 83, "title": "c"}]}},
            ]
        },
    ),
    "nested insert of many": (
        "mutation ($o: [AuthorInsertInput!]!) { insertIntoAuthorCollection(objects: $o) { affectedCount } }",
        {
            "o": [
                {"tenantId": 1, "id": 85, "name": "x", "bookCollection": {"objects": [{"id": n, "title": f"t{n}"}]}}
                for n in (85,)
            ]
            + [
                {
                    "tenantId": 1,
                    "id": 84,
                    "name": "y",
                    "bookCollection": {"objects": [{"id": n, "title": f"t{n}"} for n in range(300, 401)]},
                }
            ]
        },
    ),
    "connect the keys of a variable": (
        'mutation ($t: Int!, $k: [BookKeyInput!]) { insertIntoAuthorCollection(objects: [{ tenantId: $t, id: 80, name: "N",'
        " bookCollection: { connect: $k } }]) { records { name bookCollection { edges { node { id title } } } } } }",
        {
            "t": 1,
            "k": [{"tenantIdAndId": {"tenantId": 1, "id": 5}}, {"tenantIdAndTitle": {"tenantId": 1, "title": "Beta"}}],
        },
    ),
    "bulk update of a variable": (
        "mutation ($u: [BookKeyedUpdateInput!]!) { updateBookCollectionByKey(updates: $u) { records { id stock } } }",
        {"u": [{"key": {"tenantIdAndId": {"tenantId": 1, "id": n}}, "set": {"stock": n}} for n in (3, 1, 2)]},
    ),
    "list of a variable": (
        "query ($t: Int!) { bookCollection(filter: { tenantId: { eq: $t } }) { edges { node { title author { name } } } } }",
        {"t": 1},
    ),
    "tenant in a variable list": (
        "query ($t: [Int!]!) { bookCollection(filter: { tenantId: { in: $t } }) { edges { node { title author { name } } } } }",
        {"t": [1]},
    ),
}
