"""Where a broker is, and what may stand in topics."""

import random
import re

import pytest

from racing_demon_protocol.discovery.broker_address import PASSWORD, BrokerAddress, parse_broker
from racing_demon_server.mqtt.topics import Sensor, Topics
from racing_demon_server.settings import ServerSettings
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long

TOPIC = re.compile(r"(rd/pub|homeassistant)/[a-z0-9_/]+")


@for_each(
    ("url", "address"),
    [
        ("mqtt://broker", BrokerAddress("broker", 1883)),
        ("mqtt://127.0.0.1:1999/", BrokerAddress("127.0.0.1", 1999)),
        ("mqtts://[::1]", BrokerAddress("::1", 8883, tls=True)),
        ("mqtt://ann:a%40%2Fb@h", BrokerAddress("h", 1883, "ann", "a@/b")),
        ("mqtts://ann@h?ca=/etc/ca.pem", BrokerAddress("h", 8883, "ann", "s3cret", True, "/etc/ca.pem")),
    ],
)
def test_an_address_is_understood(url: str, address: BrokerAddress) -> None:
    """Host, port, user, password and authority are taken from where they stand."""
    assert parse_broker(url, {PASSWORD: "s3cret"}) == address


def test_a_password_in_the_url_goes_before_the_environments() -> None:
    """What stands in the URL is meant."""
    assert parse_broker("mqtt://ann:one@h", {PASSWORD: "two"}).password == "one"  # noqa: S105


@for_each(
    "url",
    [
        "",
        "h",
        "http://h",
        "mqtt://",
        "mqtt://:s3cret@h",
        "mqtt://ann:s3cret@h:99999",
        "mqtt://ann:s3cret@h:0",
        "mqtt://ann:s3cret@h:x",
        "mqtt://ann:s3cret@h/path",
        "mqtt://ann:s3cret#x@h",
        "mqtt://ann:s3cret@h?ca=x",
        "mqtts://ann:s3cret@h?ca=x&user=y",
        "mqtts://ann:s3cret@h?s3cret",
        "mqtt://[ann:s3cret@h",
    ],
)
def test_a_wrong_address_is_not_repeated(url: str) -> None:
    """The complaint about an address never holds a part of it, which might be the password."""
    with pytest.raises(ValueError, match="write mqtt://host:port") as refused:
        parse_broker(url, {})
    assert "s3cret" not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_no_text_of_an_address_shows_the_password() -> None:
    """Neither an address nor the settings show a password when they are printed."""
    address = parse_broker("mqtt://ann:s3cret@h", {})
    settings = ServerSettings(mqtt_url="mqtt://ann:s3cret@h")
    assert "s3cret" not in f"{address} {address!r} {settings} {settings!r}"


@for_each("node", ["", "A1", "a/1", "a+", "#", "a" * 33, "ä", "a1\n", "a 1"])
def test_a_node_is_small_letters_and_digits(node: str) -> None:
    """Nothing that means something in a topic can be a node's name."""
    with pytest.raises(ValueError, match="1 to 32 small letters"):
        Topics(node)


@more_when_long
def test_no_name_reaches_a_topic() -> None:
    """Of thousands of random codes none makes a topic that is not plain, or of another table."""
    rng, topics = random.Random(5), Topics("a1")
    signs = "abcXYZ019/#+$ \n\0ä☃\U0001f0a1\u202e"
    for _ in range(amount(5_000, 100_000)):
        code = "".join(rng.choices(signs, k=rng.randint(0, 20)))
        try:
            configs = [topics.sensor_config(code, sensor) for sensor in Sensor]
            made = [*topics.retained(code), topics.table(code, "events"), *configs]
        except ValueError:
            continue
        assert all(TOPIC.fullmatch(topic) for topic in made)
        assert all(topics.code_of(topic) == code.upper() for topic in (*topics.retained(code), *configs))


def test_only_what_was_kept_of_this_nodes_tables_is_tidied() -> None:
    """A topic of another node, another kind or another depth is of no table here."""
    topics = Topics("a1")
    others = ["rd/pub/a2/tables/bcdf", "rd/pub/a1/status", "rd/pub/a1/tables/bcdf/x", "rd/pub/a1/tables/", ""]
    assert [topics.code_of(topic) for topic in others] == [None] * 5
