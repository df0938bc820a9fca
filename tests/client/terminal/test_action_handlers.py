"""Every action that keys are bound to does something."""

from racing_demon_client.terminal.action_handlers import ActionHandlers
from racing_demon_client.terminal.keymap import known_actions
from racing_demon_client.terminal.screens.table import PILE_PREFIXES, SELECTION_ACTIONS
from racing_demon_client.terminal.sessions import ReplaySession, SoloSession, method_of
from tests.support.cases import for_each

PLAYS = {name for name in known_actions() if name in SELECTION_ACTIONS or name.startswith(PILE_PREFIXES)}
SENT = {name for name in known_actions() if name.startswith(("bot-", "react-")) and name != "bot-away"}
"""The actions that are one command each, with the rest of their name as its field."""


@for_each("action", sorted(known_actions() - PLAYS - SENT - {"qr"}))
def test_an_action_has_a_method(action: str) -> None:
    """Each action that is no play is a method of the handlers or of a session; the lobby has the QR code."""
    assert any(method_of(kind, action) for kind in (ActionHandlers, ReplaySession, SoloSession))
