"""The two card tricks (Cheney 40 and 41): executed as the book tells, and on the board."""

from dataclasses import replace

import pytest

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import name, rank
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.mechanics.script import Beat, Script, ScriptStep
from racing_demon_protocol.engine.specification import Foundations
from racing_demon_protocol.errors import IllegalPlay, InvalidGame
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.games.a_spell import SPELL_WORDS
from racing_demon_protocol.games.common import RANK_WORDS
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt


def _shown(game: str, group: str) -> tuple[Dealt, list[int]]:
    """Go through a trick, and return it with the ranks that lie in a group in the end."""
    dealt = Dealt(GAMES[game])
    while plays := dealt.plays():
        ((_, play),) = plays
        dealt.play(play)
    return dealt, [rank(card) for (card,) in dealt.named(group)]


def test_a_spell_names_its_cards() -> None:
    """Entry 41: the cards lie in a row from ace to king, and all were turned under the pack before."""
    dealt, ranks = _shown("a-spell", "row")
    assert list(range(1, 14)) == ranks
    assert dealt.rules.is_out(dealt.board, 0)
    assert dealt.named("stock")[0] == ()


def test_the_sequel_names_its_cards() -> None:
    """Entry 40: each word's last letter turns up a card of its rank, and fifty-two letters use all cards."""
    dealt, ranks = _shown("musical-sequel", "shown")
    assert list(range(1, 14)) == ranks
    assert dealt.rules.is_out(dealt.board, 0)
    assert len(dealt.named("spelled")[0]) == 52 - 13
    assert sum(len(word) for word in RANK_WORDS) == 52


@for_each(("words", "works"), [(SPELL_WORDS, True), (RANK_WORDS, False)])
def test_the_spell_by_hand(words: list[str], works: bool) -> None:
    """Done with a list, the order that the book prints works if eleven is called knave, and not with jack."""
    pack = ["A23456789TJQK".index(letter) + 1 for letter in "387AK642QJT95"]
    laid = []
    for word in words:
        for _ in word:
            pack.append(pack.pop(0))
        laid.append(pack.pop(0))
    assert works is (laid == list(range(1, 14)))


def test_the_sequel_by_hand() -> None:
    """Done with lists, the book's way from a finished Musical to the words comes out, too."""
    families = [[number * step % 13 or 13 for number in range(1, 14)] for step in (1, 2, 3, 4)]
    pack = [card for family in families for card in family]
    row: list[list[int]] = [[] for _ in range(13)]
    for every in (1, 2, 3, 4):
        place = -1
        for _ in range(13):
            place = (place + every) % 13
            row[place].append(pack.pop(0))
    assert [[number] * 4 for number in range(1, 14)] == row
    taken = [card for packet in row for card in packet]
    for number, word in enumerate(RANK_WORDS, 1):
        spelled, taken = taken[: len(word)], taken[len(word) :]
        assert number == spelled[-1]
    assert not taken


def test_the_sequel_begins_where_musical_is_won() -> None:
    """Each column is an index card, and what Musical builds below it: its base, its step, its length."""
    columns = {group.name: group for group in GAMES["musical"].groups if isinstance(group, Foundations)}
    dealt = Dealt(GAMES["musical-sequel"])
    for number, (index, lower) in enumerate(zip(dealt.named("index"), dealt.named("lower"), strict=True), 1):
        family = columns[f"by {number}"]
        assert isinstance(family.base, int)
        built = [(family.base - 1 + family.step * place) % 13 + 1 for place in range(family.length)]
        assert [number, *built] == [rank(card) for card in [*index, *lower]]


def test_only_the_next_step_is_a_play() -> None:
    """A trick does not go another way."""
    dealt = Dealt(GAMES["a-spell"])
    stock, row = (dealt.rules.layout.group_piles(0, group)[0] for group in ("stock", "row"))
    with pytest.raises(IllegalPlay, match="next step"):
        dealt.rules.verify_play(dealt.board, 0, Play(stock, 1, row))


def test_a_trick_says_what_it_does() -> None:
    """Each beat has its words, and there are none when it is over."""
    dealt = Dealt(GAMES["a-spell"])
    rules, said = dealt.rules, []
    while plays := dealt.plays():
        said.append(rules.caption(dealt.board, 0))
        dealt.play(plays[0][1])
    assert said[:3] == ["A-C-E", "T-W-O", "T-H-R-E-E"]
    assert rules.caption(dealt.board, 0) == ""


def test_the_cards_lie_as_declared_whatever_the_seed() -> None:
    """A trick's cards are stacked."""
    one, other = Dealt(GAMES["a-spell"], bytes(32)), Dealt(GAMES["a-spell"], bytes([7] * 32))
    assert one.dealer.open_board() == other.dealer.open_board()
    stock = one.rules.layout.stock[0]
    assert (
        " ".join(name(card) for card in reversed(one.dealer.open_board().cards[stock][-4:])) == "3♥ 8♥ 7♥ A♥"
    )


def test_a_script_that_comes_round_is_refused() -> None:
    """Where the board would not tell which step is next, the declaration does not work out."""
    there = ScriptStep(("stock", 0), ("row", 0))
    back = ScriptStep(("row", 0), ("stock", 0))
    script = Script(order=("AS",), beats=(Beat("to and fro", (there, back, there)),))
    with pytest.raises(InvalidGame, match="step 2 twice"):
        make_rules(replace(GAMES["a-spell"], mechanic=script), (0,))
