"""``racing-demon rules``."""

from tests.support.processes import CLIENT, Here, text_of


async def test_a_mistyped_game_is_guessed() -> None:
    """Whoever mistypes a game is told what it may have been, and told so by the exit code."""
    told = await text_of(CLIENT, "rules", "flower")
    assert (told.code, told.out) == (2, "")
    assert "did you mean flower-garden?" in told.err


async def test_a_game_is_found_whatever_its_case(here: Here) -> None:
    """Capitals in a game's name make no difference."""
    told = await here("rules", "CLOCK")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("The Clock")


async def test_the_rules_of_a_game_are_told(here: Here) -> None:
    """They begin with its title and where it comes from."""
    told = await here("rules", "clock")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("The Clock (number 18 of Mrs. Cheney's Patience)")
