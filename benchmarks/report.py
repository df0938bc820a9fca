"""The numbers, as a table for people and as JSON for machines."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final

from benchmarks.measure import CpuShares, Sample, Variant
from benchmarks.percentiles import percentiles

AIM: Final = 2.5
"""How much slower than an empty application, at its 95th percentile, our table may feel."""


def numbers_of(
    measured: Iterable[Variant], events: tuple[Sequence[Sample], int], cpu: CpuShares
) -> dict[str, Any]:
    """Return all numbers: times in milliseconds, sizes in bytes."""
    rows = {variant.name: _row(variant.title, variant.samples, variant.lost) for variant in measured}
    rows["event"] = _row("an opponent's play, nobody types", *events)
    return {
        "variants": rows,
        "ratio_p95": rows["table"]["paint"]["p95"] / rows["empty"]["paint"]["p95"],
        "aim": AIM,
        "cpu": {"idle": cpu.idle, "busy": cpu.busy, "events_a_second": cpu.rate},
        "load": os.getloadavg(),
    }


def _row(title: str, samples: Sequence[Sample], lost: int) -> dict[str, Any]:
    if not samples:
        raise ValueError(f"{title}: no paint was seen at all")
    return {
        "title": title,
        "samples": len(samples),
        "lost": lost,
        "first": percentiles([sample.first for sample in samples]),
        "paint": percentiles([sample.paint for sample in samples]),
        "closed": percentiles([sample.closed for sample in samples]),
        "bytes": percentiles([sample.size for sample in samples]),
    }


def table_of(numbers: dict[str, Any]) -> str:
    """Return the table for people."""
    lines = [
        f"{'':35}{'to its own paint':^21}{'until it closes':^21}{'to any byte':^14}",
        f"{'ms':35}"
        + f"{'p50':>6}{'p95':>7}{'p99':>7} " * 2
        + f"{'p50':>6}{'p95':>7}{'bytes':>8}{'lost':>6}",
    ]
    for row in numbers["variants"].values():
        shown = f"{row['title']:35}"
        for kind in ("paint", "closed"):
            shown += "{p50:6.1f}{p95:7.1f}{p99:7.1f} ".format(**row[kind])
        shown += "{p50:6.1f}{p95:7.1f}".format(**row["first"])
        lines.append(shown + f"{row['bytes']['p50']:8}{row['lost']:6}")
    cpu = numbers["cpu"]
    lines += [
        "",
        f"table / empty application, p95: {numbers['ratio_p95']:.2f} (aim: {numbers['aim']})",
        f"processor time of the table: idle {_percent(cpu['idle'])}, "
        f"with {cpu['events_a_second']:.1f} plays a second {_percent(cpu['busy'])}",
        f"{os.cpu_count()} processors, load {numbers['load'][0]:.1f}",
    ]
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.1f} %"
