"""Wrong tokens are slowed down, right ones never."""

from __future__ import annotations

import asyncio

import pytest
from dashboard.conftest import client_of
from hypothesis import given
from hypothesis import strategies as st

from schedlab.dashboard import guard, tokens
from schedlab.dashboard.tokens import Token, WrongTokens

TOKEN = "a-token-of-32-letters-or-so-1234"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_wrong_token_of_a_client_waits_longer():
    wrong = WrongTokens(Clock())
    waits = [wrong.seconds_to_wait("a") for _ in range(12)]
    assert waits == [0, 0, 0, 0.5, 1, 2, 4, 8, 8, 8, 8, 8]
    assert wrong.seconds_to_wait("b") == 0


def test_after_a_while_they_are_forgotten():
    clock = Clock()
    wrong = WrongTokens(clock)
    for _ in range(10):
        wrong.seconds_to_wait("a")
    clock.now = tokens.FORGOTTEN_SECONDS - 1
    assert wrong.seconds_to_wait("a") == 8
    clock.now *= 3
    assert wrong.seconds_to_wait("a") == 0


def test_many_addresses_are_one_attack():
    wrong = WrongTokens(Clock())
    waits = [wrong.seconds_to_wait(str(n)) for n in range(tokens.FREE_IN_ALL + 5)]
    assert waits[: tokens.FREE_IN_ALL] == [0] * tokens.FREE_IN_ALL
    assert waits[tokens.FREE_IN_ALL :] == [0.5, 1, 2, 4, 8]


def test_counting_takes_no_memory_without_end():
    wrong = WrongTokens(Clock())
    for n in range(3 * tokens.MOST_CLIENTS):
        assert wrong.seconds_to_wait(str(n)) <= 8
    assert len(wrong._clients) == tokens.MOST_CLIENTS
    for _ in range(5_000):  # the exponent must not run away
        wrong.seconds_to_wait("a")


def test_where_too_many_wait_others_are_turned_away():
    wrong = WrongTokens(Clock())
    wrong.waiting = tokens.MOST_WAITING
    assert wrong.seconds_to_wait("a") is None


@pytest.fixture
def slept(monkeypatch):
    """What answers waited, instead of waiting."""
    waits = []

    async def note(seconds):
        waits.append(seconds)

    monkeypatch.setattr(guard.asyncio, "sleep", note)
    yield waits
    monkeypatch.undo()
    assert asyncio.sleep is not note


def test_wrong_ones_wait_however_they_are_shown(results, slept):
    client = client_of(results, TOKEN)
    shown = [
        lambda: client.get("/", params={"token": "wrong"}),
        lambda: client.post("/token", data={"token": "wrong"}),
        lambda: client.get("/api/about", headers={"authorization": "Bearer wrong"}),
        lambda: client.get("/api/about", headers={"cookie": "schedlab-80=wrong"}),
    ]
    for ask in shown * 2:
        assert ask().status_code == 401
    assert slept == [0, 0, 0, 0.5, 1, 2, 4, 8]


def test_right_ones_do_not_wait(results, slept):
    client = client_of(results, TOKEN)
    for _ in range(20):
        client.get("/", params={"token": "wrong"})
    before = len(slept)
    assert client.get("/api/about", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.get("/", params={"token": TOKEN}).status_code == 200
    assert client.get("/api/about").status_code == 200  # by its cookie
    assert len(slept) == before


def test_none_at_all_is_not_a_wrong_one(results, slept):
    client = client_of(results, TOKEN)
    for _ in range(10):
        assert client.get("/").status_code == 401
        assert client.get("/api/about").status_code == 401
    assert slept == []


@given(st.text(max_size=40))
def test_only_the_token_is_right(text):
    assert Token(TOKEN).is_right(text) == (text == TOKEN)


def test_cookies_of_two_ports_and_two_tokens_differ():
    values = {Token(token).cookie(port)[1] for token in (TOKEN, TOKEN + "x") for port in (1, 2)}
    assert len(values) == 4
    assert not any(TOKEN in value for value in values)
