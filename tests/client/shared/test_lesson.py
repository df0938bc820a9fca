"""The lessons: on their deals every step is possible, in order, by what is pointed at."""

from racing_demon_client.shared.lesson import (
    DO,
    KINDS,
    LESSONS,
    OWN,
    TEACHER,
    ending_plays,
    lesson_options,
    race,
    text_of,
    words_for,
)
from racing_demon_protocol.engine.cards import name as card_name
from racing_demon_protocol.engine.cards import suit
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.table.state import hand_rules
from racing_demon_protocol.table.suggestions import best_play
from tests.support.dealt_hands import Dealt

MOST_WORDS = 12


def test_every_step_is_possible_in_order() -> None:
    """A tap on the card that is pointed at ends the step; both races are for a card that both have.

    Where colours matter, a step says those of its own cards, and names both.
    """
    for game, lesson in LESSONS.items():
        rules = hand_rules(lesson_options(game), (OWN, TEACHER), ())
        hand = Dealt(rules.game, hand_secret(bytes.fromhex(lesson.deal), 1), (OWN, TEACHER), rules=rules)
        assert [step.kind for step in lesson.steps] == list(KINDS)
        for step in lesson.steps:
            for play in step.before:
                hand.play(play, TEACHER)
            if step.play is None:
                continue
            words = words_for(hand.board, step.play, card_name)
            said = [each.format(**words) for each in (step.text, step.rule, step.why)]
            if step.kind in {"column", "run"}:
                card, on = (
                    hand.board.cards[step.play.source][-step.play.count],
                    hand.board.top(step.play.destination),
                )
                assert on is not None
                assert suit(card) % 2 != suit(on) % 2
                assert all(card_name(each) in said[0] and card_name(each) in said[2] for each in (card, on))
                assert said[2].startswith("Red on black" if suit(card) % 2 else "Black on red")
            assert step.play in list(ending_plays(rules, hand.board, step.kind)), (game, step.kind)
            tapped = best_play(rules, hand.board, OWN, step.play.source, step.play.count)
            if step.kind != "turn":
                assert tapped is not None
                assert rules.verify_play(hand.board, OWN, tapped) == step.play, (game, step.kind)
            races = list(race(rules, hand.board))
            assert any(own == step.play for own, _ in races) == (step.kind in {"won", "lost"})
            hand.play(step.play, OWN)


def test_a_newcomer_reads_who_ends_a_hand() -> None:
    """Both have to say that they are stuck: strangers took "both stuck" for what the program had found."""
    for lesson in LESSONS.values():
        assert lesson.steps[-1].text == "Both say Stuck: the hand ends."


def test_sentences_are_short() -> None:
    """Each has twelve words at most on every device, and there are eight steps."""
    for lesson in LESSONS.values():
        assert sorted({step.number for step in lesson.steps}) == list(range(1, 9))
        for step in lesson.steps:
            for device in DO[step.does]:
                text = text_of(
                    step, device, card="10♥", on="J♠", colours="Red on black", key="f", line="1 up"
                )
                assert len(text.split()) <= MOST_WORDS, text
