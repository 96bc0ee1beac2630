"""The demonstration with sign-in: members are users, and a new user is a member."""

from __future__ import annotations

from collections.abc import Callable

from app.demo.load import load_demo
from tests.sign_in.conftest import PASSWORD, SignIn


def test_a_new_user_of_the_demonstration_is_a_member(start: Callable[..., SignIn]) -> None:
    auth = start()
    url = auth.service.database_url
    for _ in range(2):
        load_demo(url, lambda _line: None)
    token = {"Authorization": f"Bearer {auth.sign_up(data={'name': 'Ann'})['access_token']}"}
    insert = "mutation { insertIntoVisitCollection(objects: [{cityId: 2761369, stars: 5}]) { affectedCount } }"
    assert auth.service.graphql(insert, headers=token)["insertIntoVisitCollection"]["affectedCount"] == 1
    members = "{ memberCollection(orderBy: [{name: AscNullsLast}]) { edges { node { name email } } } }"
    named = auth.service.graphql(members, headers=token)["memberCollection"]["edges"]
    assert [each["node"]["name"] for each in named] == ["Ada", "Ann", "Ben"]
    ((ada,),) = auth.service.sql("select id::text from auth.users where email = 'ada@example.com'")
    assert auth.sign_in("ada@example.com")[0] == 400
    assert auth.admin("PUT", f"users/{ada}", {"password": PASSWORD})[0] == 200
    assert auth.sign_in("ada@example.com")[0] == 200
