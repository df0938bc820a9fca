"""What Textual runs in the background."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any


def deferred(function: Callable[..., Coroutine[Any, Any, Any]], *arguments: object) -> Any:
    """Return a call for ``run_worker``, which is made when the worker starts.

    A coroutine in its place would be left if the application ends before that, and Python would warn of it.
    Textual takes either, but its types know no call whose result nobody wants.
    """
    return partial(function, *arguments)
