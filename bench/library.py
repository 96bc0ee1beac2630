"""The database that ``python -m bench`` asks, its questions, and the true answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

AUTHORS, BOOKS = 10_000, 200_000
_EACH = BOOKS // AUTHORS
FIRST, ID = 10, 7
# No row of the other questions, and enough rows that concurrent requests do not wait for one another.
_CHANGED = range(101, 165)

SCHEMA = f"""
do $$ begin create role anon; exception when duplicate_object then null; end $$;
comment on schema public is '@graphql({{"inflect_names": true}})';
create table author (id int primary key, name text not null, email text);
create table note (id bigint generated always as identity primary key, text text not null);
create table book (id int primary key, author_id int not null references author, title text not null);
create index on book (author_id, id);
insert into author select i, 'Author ' || i, 'author' || i || '@example.com' from generate_series(1, {AUTHORS}) i;
insert into book select i, 1 + (i - 1) / {_EACH}, 'The book with the number ' || i from generate_series(1, {BOOKS}) i;
alter table author enable row level security;
create policy everybody on author for select using (id > 0);
create policy changed_by_everybody on author for update using (id > 0);
alter table note enable row level security;
create policy everybody on note using (id > 0) with check (text > '');
grant select on author, book, note to anon;
grant insert on note to anon;
grant update on author to anon;
vacuum analyze author;
vacuum analyze book;
"""


@dataclass(frozen=True)
class Question:
    """``truth``: the rows that answer it, without the names that each API gives them; None if it asks for none.
    ``others``: more variables, which requests have in turns; the truth is of the first ones."""

    name: str
    variables: Mapping[str, Any]
    truth: Any
    others: Sequence[Mapping[str, Any]] = ()


def _author(number: int) -> dict[str, Any]:
    return {"id": number, "name": f"Author {number}", "email": f"author{number}@example.com"}


def _book(number: int, **more: int) -> dict[str, Any]:
    return {"id": number, "title": f"The book with the number {number}", **more}


def _changed(number: int) -> dict[str, Any]:
    return {"id": number, "email": f"changed{number}@example.com"}


def _books_of(author: int, count: int) -> list[dict[str, Any]]:
    first = (author - 1) * _EACH + 1
    return [_book(number) for number in range(first, first + count)]


QUESTIONS = (
    Question("__typename", {}, None),
    Question("one row by key", {"id": ID}, _author(ID)),
    Question(
        "10 x 5 nested",
        {"first": FIRST},
        [{**_author(number), "books": _books_of(number, 5)} for number in range(1, FIRST + 1)],
    ),
    Question("100 rows", {}, [_book(number, authorId=1 + (number - 1) // _EACH) for number in range(1, 101)]),
    Question("an insert", {"text": "A note"}, {"text": "A note"}),
    Question("an update by key", _changed(101), _changed(101), [_changed(each) for each in _CHANGED[1:]]),
)

_TYPENAME = "{ __typename }"

PORTICO = {
    "__typename": _TYPENAME,
    "one row by key": "query ($id: Int!) { authorByPk(id: $id) { id name email } }",
    "10 x 5 nested": """query ($first: Int) { authorCollection(first: $first) { edges { node { id name email
      bookCollection(first: 5) { edges { node { id title } } } } } } }""",
    "100 rows": "{ bookCollection(first: 100) { edges { node { id title authorId } } } }",
    "an insert": """mutation ($text: String!) {
      insertIntoNoteCollection(objects: [{text: $text}]) { records { text } } }""",
    "an update by key": """mutation ($id: Int!, $email: String!) {
      updateAuthorCollection(set: {email: $email}, filter: {id: {eq: $id}}) { records { id email } } }""",
}
POSTGRAPHILE = {
    "__typename": _TYPENAME,
    "one row by key": "query ($id: Int!) { authorByRowId(rowId: $id) { rowId name email } }",
    "10 x 5 nested": """query ($first: Int) { allAuthors(first: $first) { edges { node { rowId name email
      booksByAuthorId(first: 5) { edges { node { rowId title } } } } } } }""",
    "100 rows": "{ allBooks(first: 100) { edges { node { rowId title authorId } } } }",
    "an insert": "mutation ($text: String!) { createNote(input: {note: {text: $text}}) { note { text } } }",
    "an update by key": """mutation ($id: Int!, $email: String!) {
      updateAuthorByRowId(input: {rowId: $id, authorPatch: {email: $email}}) { author { rowId email } } }""",
}
STRAWBERRY = {
    "__typename": _TYPENAME,
    "one row by key": "query ($id: Int!) { author(id: $id) { id name email } }",
    "10 x 5 nested": "query ($first: Int!) { authors(first: $first) { id name email books(first: 5) { id title } } }",
    "100 rows": "{ books(first: 100) { id title authorId } }",
    "an insert": "mutation ($text: String!) { createNote(text: $text) { text } }",
    "an update by key": "mutation ($id: Int!, $email: String!) { updateAuthor(id: $id, email: $email) { id email } }",
}
# The names of the operations are those of its saved queries. It has no __typename of the root.
GRAPHJIN = {
    "one row by key": "query one { author(id: $id) { id name email } }",
    "10 x 5 nested": """query nested { author(limit: $first, order_by: {id: asc}) { id name email
      book(limit: 5, order_by: {id: asc}) { id title } } }""",
    "100 rows": "query rows { book(limit: 100, order_by: {id: asc}) { id title author_id } }",
    "an insert": "mutation insert_note { note(insert: {text: $text}) @object { text } }",
    "an update by key": "mutation update_author { author(id: $id, update: {email: $email}) { id email } }",
}


def rows_of(answer: Mapping[str, Any]) -> Any:
    """The rows in an answer, in the form of ``Question.truth``. Raises AssertionError for an answer with errors."""
    assert "errors" not in answer, answer
    (value,) = answer["data"].values()
    return None if isinstance(value, str) else _plain(_written(value))


def _written(value: Any) -> Any:
    """The row in the answer to a mutation, which may have others around it; anything else as it is."""
    if isinstance(value, dict) and "records" in value:
        (value,) = value["records"]
    elif isinstance(value, dict) and len(value) == 1 and isinstance(row := next(iter(value.values())), dict):
        return row
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "edges" in value:
        return [_plain(edge["node"]) for edge in value["edges"]]
    return {_name(key, item): _plain(item) for key, item in value.items()}


def _name(key: str, value: Any) -> str:
    if isinstance(value, dict | list):
        return "books"
    return {"rowId": "id", "author_id": "authorId"}.get(key, key)
