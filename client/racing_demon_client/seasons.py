"""Seasons: names for periods, in a small file of the player's own."""

import datetime as dt
import tomllib
from pathlib import Path
from typing import Annotated, Final, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError

from racing_demon_protocol.formatting import printable

from .errors import SettingsRefused
from .settings import settings_path

MAX_FILE_BYTES: Final = 64 * 1024


class Season(NamedTuple):
    """A period: its first and its last day, in local time."""

    first: dt.date
    last: dt.date

    @property
    def since_ms(self) -> int:
        """When its first day begins, in milliseconds since 1970."""
        return _midnight_ms(self.first)

    @property
    def until_ms(self) -> int:
        """When its last day has ended, in milliseconds since 1970."""
        return _midnight_ms(self.last + dt.timedelta(days=1))

    def verified(self) -> Self:
        """Return this season if its days are in order.

        Raises:
            ValueError: they are not.

        """
        if not dt.date(1970, 1, 2) <= self.first <= self.last < dt.date(9999, 12, 31):
            raise ValueError("no period")
        return self


def _midnight_ms(day: dt.date) -> int:
    return int(dt.datetime.combine(day, dt.time()).astimezone().timestamp() * 1_000)


def _two_days(value: object) -> object:
    """Refuse whatever is not two dates: pydantic takes numbers and texts for dates, too."""
    if not (isinstance(value, list) and len(value) == 2 and all(type(day) is dt.date for day in value)):
        raise ValueError("not two dates")
    return value


SEASONS: Final = TypeAdapter(
    dict[str, Annotated[Season, AfterValidator(Season.verified), BeforeValidator(_two_days)]]
)


def seasons_path() -> Path:
    """Return the path of the file, which is beside the settings."""
    return settings_path().with_name("seasons.toml")


def find_season(name: str, path: Path) -> Season:
    """Return a season by its name in a file.

    Raises:
        SettingsRefused: the file cannot be read or understood, or has no such season.

    """
    example = "Write one line for each season, like: autumn = [2026-09-01, 2026-11-30]"
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SettingsRefused(f"There are no seasons yet: {path} is missing. {example}") from None
    except OSError as error:
        text = f"{path}: the seasons cannot be read: {error.strerror or error}. Check the file."
        raise SettingsRefused(text) from error
    if len(data) > MAX_FILE_BYTES:
        raise SettingsRefused(
            f"{path}: seasons may take at most {MAX_FILE_BYTES // 1024} KiB. Shorten the file."
        )
    try:
        seasons = SEASONS.validate_python(tomllib.loads(data.decode("utf-8-sig")))
    except ValidationError as error:
        wrong = printable(str(error.errors(include_url=False)[0]["loc"][0]))
        text = f"{path}: the season {wrong!r} has not a first and a last day, in this order. {example}"
        raise SettingsRefused(text) from None
    except (ValueError, RecursionError):
        raise SettingsRefused(f"{path}: this is not TOML in UTF-8. {example}") from None
    if name not in seasons:
        names = ", ".join(map(printable, seasons)) or "none"
        raise SettingsRefused(f"There is no season {name!r} in {path}. There are: {names}. {example}")
    return seasons[name]
