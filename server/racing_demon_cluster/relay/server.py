"""A server that shows the tables of another one to spectators."""

from contextlib import AsyncExitStack

from racing_demon_server.net.handler import MetricsHooks, ServerContext, Service
from racing_demon_server.server import Server, rising_clock
from racing_demon_server.settings import ServerSettings

from .tables import Relay


class RelayServer(Server):
    """A relay. It keeps nothing, and spectators find their tables again when it has restarted.

    Args:
        settings: the settings of any server.
        url: the server that has the tables.

    """

    def __init__(self, settings: ServerSettings, url: str) -> None:
        super().__init__(settings)
        self._url = url

    def open(self, _resources: AsyncExitStack) -> tuple[ServerContext, Service]:
        """Return the service that shows the tables."""
        metrics = self.metrics
        hooks = MetricsHooks(metrics.text, metrics.cut, metrics.refused)
        context = ServerContext(self.settings, rising_clock(0), hooks)
        return context, Relay(self._url, context)
