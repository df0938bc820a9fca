"""The numbers of the spectators' benchmark, as a table for people and as JSON for machines."""

import os
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.percentiles import PERCENTILES, percentiles
from benchmarks.watching import Round, SilentOnes, Stretch

AIM: Final = 1.5
"""How much later the slowest plays, at their 99th percentile, may come because of spectators."""


def numbers_of(rounds: Sequence[Round], silent: SilentOnes) -> dict[str, Any]:
    """Return all numbers: times in milliseconds, lives in seconds, sizes in bytes."""
    alone = _row("nobody watches", [round_.alone for round_ in rounds])
    watched = _row("with spectators", [round_.watched for round_ in rounds])
    without = _row("only readers watch", [silent.without])
    during = _row("and some who never read", [silent.during])
    return {
        "rows": {"alone": alone, "watched": watched, "readers": without, "silent": during},
        "ratio": _ratios(watched, alone),
        "ratio_p99_by_round": [_round_ratio(round_) for round_ in rounds],
        "silent_ratio": _ratios(during, without),
        "aim": AIM,
        "spectators": {
            "frames_a_second": sum(round_.rate for round_ in rounds) / len(rounds),
            "behind_ms": max(round_.behind_ms for round_ in rounds),
            "gaps": sum(round_.gaps for round_ in rounds),
            "lost": sum(round_.lost for round_ in rounds),
        },
        "silent": {
            "gone": len(silent.lived),
            "left": silent.left,
            "shortest_s": min(silent.lived, default=None),
            "longest_s": max(silent.lived, default=None),
            "waiting": silent.waiting,
            "in_system": silent.in_system,
            "cuts": silent.cuts,
            "readers_lost": silent.readers_lost,
            "gaps": silent.gaps,
        },
        "load": os.getloadavg(),
    }


def _row(title: str, stretches: Sequence[Stretch]) -> dict[str, Any]:
    times = [time for stretch in stretches for time in stretch.seen.times]
    if not times:
        raise ValueError(f"{title}: no play was seen by anybody")
    shares = [stretch.cpu for stretch in stretches if stretch.cpu is not None]
    return {
        "title": title,
        "samples": len(times),
        "missing": sum(stretch.seen.missing for stretch in stretches),
        "plays_a_second": sum(s.seen.plays for s in stretches) / sum(s.seconds for s in stretches),
        "cpu": sum(shares) / len(shares) if shares else None,
        **percentiles(times),
        "max": max(times),
    }


def _ratios(slower: dict[str, Any], faster: dict[str, Any]) -> dict[str, float]:
    return {f"p{share}": slower[f"p{share}"] / faster[f"p{share}"] for share in PERCENTILES}


def _round_ratio(round_: Round) -> float | None:
    watched, alone = round_.watched.seen.times, round_.alone.seen.times
    return percentiles(watched)["p99"] / percentiles(alone)["p99"] if watched and alone else None


def table_of(numbers: dict[str, Any]) -> str:
    """Return the table for people."""
    lines = [f"{'play -> seen, ms':26}{'p50':>7}{'p95':>8}{'p99':>8}{'max':>8}{'plays/s':>10}{'server':>9}"]
    lines += [
        "{title:26}{p50:7.2f}{p95:8.2f}{p99:8.2f}{max:8.1f}{plays_a_second:10.1f}".format(**row)
        + f"{_percent(row['cpu']):>9}"
        + (f"  {row['missing']} missing" if row["missing"] else "")
        for row in numbers["rows"].values()
    ]
    by_round = ", ".join("?" if ratio is None else f"{ratio:.2f}" for ratio in numbers["ratio_p99_by_round"])
    return "\n".join(
        [
            *lines,
            "",
            f"with / without: {_said(numbers['ratio'])} (aim for p99: {numbers['aim']})",
            f"p99 by round: {by_round}",
            _of_spectators(numbers["spectators"]),
            f"with / without those who never read: {_said(numbers['silent_ratio'])}",
            _of_silent(numbers["silent"]),
            f"{os.cpu_count()} processors, load {numbers['load'][0]:.1f}",
        ]
    )


def _of_spectators(told: dict[str, Any]) -> str:
    return (
        f"spectators: {told['frames_a_second']:.0f} messages a second, at the end {told['behind_ms']:.0f} ms "
        f"behind at most, {told['gaps']} gaps, {told['lost']} lost"
    )


def _of_silent(told: dict[str, Any]) -> str:
    when = "" if not told["gone"] else f" after {told['shortest_s']:.1f} to {told['longest_s']:.1f} s"
    cuts = ", ".join(f"{number} as {why}" for why, number in told["cuts"].items()) or "none for its backlog"
    return (
        f"who never read: {told['gone']} let go{when} ({cuts}), {told['left']} kept; at most "
        f"{told['waiting']} bytes waited for one in the server, {told['in_system']} in the system; "
        f"readers: {told['readers_lost']} lost, {told['gaps']} gaps"
    )


def _said(ratios: dict[str, float]) -> str:
    return ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share:.0f} %"
