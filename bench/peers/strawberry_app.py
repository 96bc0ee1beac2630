"""A peer: strawberry with SQLAlchemy and dataloaders, as an ASGI application for uvicorn. It runs in an environment of
its own, in which nothing of the project is installed."""

from __future__ import annotations

import os
from typing import Any

import strawberry
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from strawberry.asgi import GraphQL
from strawberry.dataloader import DataLoader

sessions = async_sessionmaker(create_async_engine(os.environ["SQLALCHEMY_URL"]))


class Base(DeclarativeBase):
    pass


class AuthorRow(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    email: Mapped[str]


class BookRow(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    author_id: Mapped[int]
    title: Mapped[str]


class NoteRow(Base):
    __tablename__ = "note"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]


async def load_books(keys: list[tuple[int, int]]) -> list[list[Any]]:
    """For each author and number, that many books; one statement for all that have the number in common."""
    (first,) = {number for _, number in keys}
    place = func.row_number().over(partition_by=BookRow.author_id, order_by=BookRow.id).label("place")
    placed = select(BookRow.id, BookRow.title, BookRow.author_id, place)
    placed = placed.where(BookRow.author_id.in_([author for author, _ in keys])).subquery()
    async with sessions() as session:
        found = (await session.execute(select(placed).where(placed.c.place <= first).order_by(placed.c.id))).all()
    return [[row for row in found if row.author_id == author] for author, _ in keys]


@strawberry.type
class Book:
    id: int
    title: str
    author_id: int


@strawberry.type
class Author:
    id: int
    name: str
    email: str

    @strawberry.field
    async def books(self, info: strawberry.Info, first: int) -> list[Book]:
        return await info.context["books"].load((self.id, first))


@strawberry.type
class Query:
    @strawberry.field
    async def author(self, id: int) -> Author | None:  # noqa: A002
        async with sessions() as session:
            return await session.get(AuthorRow, id)

    @strawberry.field
    async def authors(self, first: int) -> list[Author]:
        async with sessions() as session:
            found = (await session.scalars(select(AuthorRow).order_by(AuthorRow.id).limit(first))).all()
        return [Author(id=row.id, name=row.name, email=row.email) for row in found]

    @strawberry.field
    async def books(self, first: int) -> list[Book]:
        async with sessions() as session:
            return (await session.scalars(select(BookRow).order_by(BookRow.id).limit(first))).all()


@strawberry.type
class Note:
    text: str


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def create_note(self, text: str) -> Note:
        async with sessions.begin() as session:
            session.add(NoteRow(text=text))
        return Note(text=text)

    @strawberry.mutation
    async def update_author(self, id: int, email: str) -> Author | None:  # noqa: A002
        async with sessions.begin() as session:
            row = await session.get(AuthorRow, id)
            if row is None:
                return None
            row.email = email
            return Author(id=row.id, name=row.name, email=email)


class Application(GraphQL):
    async def get_context(self, request: Any, response: Any = None) -> dict[str, Any]:
        return {"books": DataLoader(load_fn=load_books)}


application = Application(strawberry.Schema(Query, Mutation), graphql_ide=None)
