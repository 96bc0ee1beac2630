"""The text that ``portico serve --demo`` prints when it is ready: address, keys, requests and two pictures."""

from __future__ import annotations

import json

from app.identity import AUTHENTICATED
from app.identity.issuing import TEN_YEARS_S, SigningKey, make_token
from app.settings import Settings

MAP = "maps/world.png"
"""Bucket and key of the map of the world."""

USERS = (
    ("Ada", "aaaaaaaa-0000-4000-8000-000000000001", "ada@example.com"),
    ("Ben", "bbbbbbbb-0000-4000-8000-000000000002", "ben@example.com"),
)

_WORLD = (
    "{ continentCollection { edges { node { name countryCollection(first: 2, orderBy: [{population: DescNullsLast}])"
    " { edges { node { name cityCollection(first: 2, orderBy: [{population: DescNullsLast}])"
    " { edges { node { name population } } } } } } } } } }"
)
_NEIGHBOURS = (
    '{ cityCollection(filter: {name: {eq: "Vienna"}}) { edges { node { name size country { name languages'
    " neighbours { edges { node { neighbour { name } } } } } } } } }"
)
_STARS = "subscription { visitCollection { totalCount edges { node { stars city { name } } } } }"
_VISITS = "{ visitCollection { totalCount edges { node { note stars city { name } } } } }"


def demo_banner(settings: Settings, address: str) -> str:
    """The whole text. ``settings`` must have JWT_SECRET, which signs the users' tokens, and ANON_KEY."""
    key, anon_key = SigningKey((settings.jwt_secret or "").encode()), settings.anon_key or ""
    audience = settings.jwt_audience or AUTHENTICATED
    url = f"{address}/graphql/v1"
    tokens = {
        name: make_token(key, AUTHENTICATED, TEN_YEARS_S, subject=user, audience=audience, email=email)
        for name, user, email in USERS
    }
    lines = [f"Portico is ready: {url}", "", f"anon key:    {anon_key}"]
    lines += [f"{name}'s token: {token}" for name, token in tokens.items()]
    lines += [
        "",
        "The two largest cities of the two largest countries of each continent:",
        _curl(url, anon_key, _WORLD),
        "",
        "A city, its country, and the country's neighbours:",
        _curl(url, anon_key, _NEIGHBOURS),
        "",
        "Visits that Ada may see (remove the line with her token to see those that are public):",
        _curl(url, anon_key, _VISITS, tokens["Ada"]),
        "",
        *_live(url, anon_key, tokens["Ada"], is_on=settings.live),
        "A map of the cities, from a public bucket" + (", and half as wide:" if settings.images else ":"),
        f"{address}/storage/v1/object/public/{MAP}",
    ]
    if settings.images:
        lines.append(f"{address}/storage/v1/render/image/public/{MAP}?width=800")
    lines += ["", "Ctrl-C stops."]
    return "\n".join(lines)


def _live(url: str, api_key: str, token: str, *, is_on: bool) -> list[str]:
    if not is_on:
        return []
    return [
        "The same visits, again after each change until Ctrl-C:",
        _curl(f"-N {url}/stream", api_key, _STARS, token),
        "",
    ]


def _curl(url: str, api_key: str, query: str, token: str | None = None) -> str:
    parts = [f"curl -s {url}", f"-H 'apiKey: {api_key}'"]
    if token:
        parts.append(f"-H 'Authorization: Bearer {token}'")
    parts += ["-H 'Content-Type: application/json'", f"-d '{json.dumps({'query': query})}'"]
    return " \\\n  ".join(parts)
