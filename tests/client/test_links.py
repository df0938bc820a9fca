"""Links to tables, as hosts see them and as people send them to each other."""

import pytest

from racing_demon_client.links import full_url, link_of, taken_apart


@pytest.mark.parametrize(
    "text",
    [
        "http://192.168.1.5:5252/BCDF",
        "HTTP://192.168.1.5:5252/BCDF",
        "http://192.168.1.5:5252/BCDF.",
        "http://192.168.1.5:5252/BCDF/",
        "http://192.168.1.5:5252/BCDF?tv",
        '"http://192.168.1.5:5252/BCDF"',
        "<http://192.168.1.5:5252/BCDF>,",
        "  http://192.168.1.5:5252/BCDF\u200b ",
        "racing-demon join http://192.168.1.5:5252/BCDF",
        "http://192.168.1.5:5252/BCDF in a browser, or with racing-demon join",
        "192.168.1.5:5252/BCDF",
        "192.168.1.5:5252/BCDF.",
        "192.168.1.5:5252#BCDF",
        "192.168.1.5:5252/v1#BCDF",
        "ws://192.168.1.5:5252/BCDF",
        "ws://192.168.1.5:5252/v1#BCDF",
        "ws://192.168.1.5:5252#BCDF!",
    ],
)
def test_a_link_leads_to_its_table_however_it_was_sent(text: str) -> None:
    """With a scheme or without, in a sentence, in quotes, or in the whole line that the host sees."""
    address, code = taken_apart(text)
    assert (full_url(address), code) == ("ws://192.168.1.5:5252/v1", "BCDF")


@pytest.mark.parametrize("text", ["BCDF", " BCDF ", "BCDF.", '"BCDF"', "#BCDF", "ＢＣＤＦ", "BCDF\u200b"])
def test_a_code_alone_is_a_code(text: str) -> None:
    """Whatever stands around it; it names no server."""
    assert taken_apart(text) == ("", "BCDF")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.168.1.5", "192.168.1.5"),
        ("192.168.1.5:5252.", "192.168.1.5:5252"),
        ("ws://192.168.1.5:5252/v1", "ws://192.168.1.5:5252/v1"),
        ("https://cards.example.org/", "wss://cards.example.org"),
        ("[fe80::1]:5252", "[fe80::1]:5252"),
        ("::", "::"),
    ],
)
def test_an_address_alone_is_an_address(text: str, address: str) -> None:
    """It has no code: the server is asked for its tables."""
    assert (address, "") == taken_apart(text)


def test_other_schemes_are_refused_in_words() -> None:
    """They lead to no table."""
    with pytest.raises(ValueError, match="begins with http://, https://, ws:// or wss://"):
        taken_apart("ftp://192.168.1.5/BCDF")


def test_what_a_host_is_shown_is_taken_apart_again() -> None:
    """The link of a server's address leads back to it."""
    assert taken_apart(link_of("wss://cards.example.org/v1", "BCDF")) == ("wss://cards.example.org", "BCDF")
