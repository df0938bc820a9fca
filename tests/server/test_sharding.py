"""Which process has which table, and what is said to clients who come to another one."""

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Elsewhere, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.sharding import CODE_LETTERS, MAX_PROCESSES, Shards, owner
from tests.support.cases import for_each
from tests.support.servers import Peer, serving

TOKEN = "0f" * 32


@for_each("processes", range(1, MAX_PROCESSES + 1))
def test_every_process_has_codes_of_its_own(processes: int) -> None:
    """Each has some first letters, and all that anybody may ask for is somebody's."""
    assert set(range(1, processes + 1)) == {owner(f"{letter}BCD", processes) for letter in CODE_LETTERS}
    assert all(1 <= owner(code, processes) <= processes for code in ("", "a", "1234", "Ä", "\0" * 16))


async def test_a_process_opens_tables_whose_codes_are_its_own() -> None:
    """A code tells where its table is, so nobody has to be asked."""
    shards = Shards(number=2, ports=(1, 2, 3))
    async with serving(shards=shards) as served:
        codes = [served.registry.open(Options()).table.view.code for _ in range(40)]
    assert {2} == {owner(code, 3) for code in codes}


async def test_a_new_table_gets_no_code_of_a_stray() -> None:
    """A code that is another process's table already is not given again."""
    async with serving(seed=bytes(32)) as served:
        code = served.registry.open(Options()).table.view.code
    async with serving(
        seed=bytes(32),
        shards=Shards(number=owner(code, 2), ports=(1, 2), strays={code: 3 - owner(code, 2)}),
    ) as served:
        assert code != served.registry.open(Options()).table.view.code


@for_each(
    "request_",
    [cl.Join(code="bbbb", name="Ann"), cl.Watch(code="BBBB"), cl.Resume(code="BBBB ", token=TOKEN)],
    ids=["join", "watch", "resume"],
)
async def test_who_comes_to_the_wrong_process_is_told_the_port(
    request_: cl.Join | cl.Watch | cl.Resume,
) -> None:
    """However the code is spelt; and the connection may still ask for something else."""
    shards = Shards(number=2, ports=(5001, 5002))
    async with serving(shards=shards) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(request_)
        assert Elsewhere(port=5001) == await peer.hear()
        await peer.enter(cl.Create(name="Ann"))


async def test_a_table_that_would_be_here_and_is_not_is_unknown() -> None:
    """The process whose codes begin so sends nobody on."""
    shards = Shards(number=1, ports=(5001, 5002))
    async with serving(shards=shards) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(cl.Watch(code="BBBB"))
        answer = await peer.hear()
        assert isinstance(answer, Refused)
        assert answer.reason is Reason.UNKNOWN_TABLE


async def test_strays_are_found_where_they_are() -> None:
    """A table from a time with more processes, or fewer, is with the one that has its journal."""
    shards = Shards(number=1, ports=(5001, 5002), strays={"BBBB": 2})
    async with serving(shards=shards) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(cl.Watch(code="BBBB"))
        assert Elsewhere(port=5002) == await peer.hear()
