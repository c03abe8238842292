"""Counts and measurements as curves over a size that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attention_lab.heads.counts import Count, LayerSize, growing_sizes, size_value, total_count
from attention_lab.heads.parallel_heads import ThreadRuns
from attention_lab.heads.score_schemes import SCHEMES, SchemeRun

from ..curves import LEGEND_ABOVE, PLAIN_AXIS
from ..parts import Part, layout
from ..theme import Figure

SIZE_TITLES = {
    "n": "n, tokens",
    "C": "C, width of the layer",
    "h": "h, heads",
    "G": "G, key/value heads",
}
COUNT_DASHES = ("solid", "dash", "dot", "dashdot")
COUNT_SYMBOLS = ("circle", "square", "diamond", "x")


def count_curves(
    sizes: Mapping[str, LayerSize], letter: str, counts: Sequence[Count], title: str
) -> Figure:
    """A count for several layers as one of their sizes grows, on logarithmic axes, with a ring at
    their present size.
    """
    data: list[Part] = []
    for place, (name, size) in enumerate(sizes.items()):
        larger = growing_sizes(size, letter)
        data.append(
            _line(
                name,
                place,
                [size_value(one, letter) for one in larger],
                [total_count(counts, one) for one in larger],
            )
        )
        data.append(_ring(place, size_value(size, letter), total_count(counts, size)))
    return _figure(data, letter, title, f"The {title} of {', '.join(sizes)}")


def scheme_counts(size: LayerSize, letter: str, which: str) -> Figure:
    """A count of the four ways to compute scores as a size grows. which: multiplications,
    additions or extra.
    """
    data: list[Part] = []
    larger = growing_sizes(size, letter)
    for place, scheme in enumerate(SCHEMES):
        count: Count = getattr(scheme, which)
        shown = [one for one in larger if count.of(one)]
        data.append(
            _line(
                scheme.name,
                place,
                [size_value(one, letter) for one in shown],
                [count.of(one) for one in shown],
            )
        )
        if count.of(size):
            data.append(_ring(place, size_value(size, letter), count.of(size)))
    name = getattr(SCHEMES[0], which).name
    return _figure(data, letter, name, f"The {name} of four ways to compute scores")


def scheme_times(runs: Sequence[SchemeRun], letter: str) -> Figure:
    """The measured milliseconds of the four ways."""
    return _scheme_measurements(
        runs, letter, "milliseconds", [1000 * run.measured.seconds for run in runs]
    )


def scheme_memory(runs: Sequence[SchemeRun], letter: str) -> Figure:
    """The measured peak memory of the four ways, in kilobytes."""
    return _scheme_measurements(
        runs, letter, "peak memory, kB", [run.measured.peak_bytes / 1000 for run in runs]
    )


def thread_times(found: Sequence[ThreadRuns]) -> Figure:
    """The median milliseconds of the three ways to run the heads, by the number of tokens."""
    x = [run.size.n_tokens for run in found]
    data = [
        _line(way, place, x, [1000 * run.times[way].median for run in found])
        for place, way in enumerate(found[0].times)
    ]
    description = "The median time of three ways to run the heads, measured on this machine,"
    return _figure(data, "n", "milliseconds, median", description)


def _scheme_measurements(
    runs: Sequence[SchemeRun], letter: str, title: str, heights: Sequence[float]
) -> Figure:
    data: list[Part] = []
    for place, scheme in enumerate(SCHEMES):
        mine = [
            (size_value(run.size, letter), height)
            for run, height in zip(runs, heights, strict=True)
            if run.scheme.key == scheme.key
        ]
        data.append(_line(scheme.name, place, [x for x, _ in mine], [y for _, y in mine]))
    return _figure(
        data,
        letter,
        title,
        f"The {title} of four ways to compute scores, measured on this machine",
    )


def _line(name: str, place: int, x: Sequence[float], y: Sequence[float]) -> Part:
    """A curve with its own colour, dash and symbol, so that equal curves can both be seen."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {
            "color": f"@head {place}",
            "width": 4 - 0.8 * place,
            "dash": COUNT_DASHES[place % 4],
        },
        "marker": {
            "color": f"@head {place}",
            "size": 10 - 1.5 * place,
            "symbol": COUNT_SYMBOLS[place % 4],
        },
        "hovertemplate": "%{x}: <b>%{y:,.4~g}</b><extra>" + name + "</extra>",
    }


def _ring(place: int, x: float, y: float) -> Part:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x],
        "y": [y],
        "showlegend": False,
        "hoverinfo": "skip",
        "marker": {"symbol": "circle-open", "size": 18, "color": "@focus", "line": {"width": 2}},
    }


def _figure(data: list[Part], letter: str, title: str, description: str) -> Figure:
    axis: Part = PLAIN_AXIS | {"type": "log", "tickfont": {"size": 11}}
    word = SIZE_TITLES[letter].partition(", ")[2]
    ticks = sorted({x for line in data for x in line["x"]})
    return {
        "data": data,
        "layout": layout(
            340,
            f"{description} as {letter} grows ({word}).",
            showlegend=True,
            margin={"l": 64, "r": 12, "t": 56, "b": 48},
            legend=LEGEND_ABOVE,
            xaxis=axis
            | {
                "title": {"text": SIZE_TITLES[letter], "font": {"size": 12}},
                "tickvals": ticks,
                "ticktext": [f"{tick:g}" for tick in ticks],
            },
            yaxis=axis
            | {
                "title": {"text": title, "font": {"size": 12}},
                "exponentformat": "power",
                "dtick": 1,
            },
        ),
    }
