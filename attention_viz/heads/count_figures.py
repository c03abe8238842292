"""Counts and measurements as curves over a size that grows."""

from collections.abc import Callable, Mapping, Sequence

from attention_lab.heads.counts import Count, LayerSize, growing_sizes, size_value, total_count
from attention_lab.heads.score_schemes import SCHEMES, SchemeRun

from ..curves import PLAIN_AXIS, WITH_LEGEND, marks
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
OF_SCHEMES = "of four ways to compute scores"


def count_curves(
    sizes: Mapping[str, LayerSize], letter: str, counts: Sequence[Count], title: str
) -> Figure:
    """A count for several layers as one of their sizes grows, on logarithmic axes, with a ring at
    their present size.
    """
    curves = {
        name: [
            (size_value(one, letter), total_count(counts, one))
            for one in growing_sizes(size, letter)
        ]
        for name, size in sizes.items()
    }
    rings = [(size_value(size, letter), total_count(counts, size)) for size in sizes.values()]
    return _figure(curves, letter, title, f"The {title} of {', '.join(sizes)}", rings)


def scheme_counts(size: LayerSize, letter: str, which: str) -> Figure:
    """A count of the four ways to compute scores as a size grows. which: multiplications,
    additions or extra.
    """
    counts: dict[str, Count] = {scheme.name: getattr(scheme, which) for scheme in SCHEMES}
    larger = growing_sizes(size, letter)
    curves = {
        name: [(size_value(one, letter), count.of(one)) for one in larger if count.of(one)]
        for name, count in counts.items()
    }
    rings = [(size_value(size, letter), count.of(size)) for count in counts.values()]
    title = getattr(SCHEMES[0], which).name
    return _figure(curves, letter, title, f"The {title} {OF_SCHEMES}", rings)


def scheme_times(runs: Sequence[SchemeRun], letter: str) -> Figure:
    """The measured milliseconds of the four ways."""
    return _measured(runs, letter, "milliseconds", lambda one: 1000 * one.seconds)


def scheme_memory(runs: Sequence[SchemeRun], letter: str) -> Figure:
    """The measured peak memory of the four ways, in kilobytes."""
    return _measured(runs, letter, "peak memory, kB", lambda one: one.peak_bytes / 1000)


def _measured(
    runs: Sequence[SchemeRun], letter: str, title: str, number: Callable[[SchemeRun], float]
) -> Figure:
    curves: dict[str, list[tuple[float, float]]] = {scheme.name: [] for scheme in SCHEMES}
    for run in runs:
        curves[run.scheme.name].append((size_value(run.size, letter), number(run)))
    return _figure(curves, letter, title, f"The {title} {OF_SCHEMES}, measured on this machine")


def _figure(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    letter: str,
    title: str,
    description: str,
    rings: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Curves on logarithmic axes, and a ring for each that is above 0."""
    data: list[Part] = []
    for place, (name, points) in enumerate(curves.items()):
        data.append(_line(name, place, [x for x, _ in points], [y for _, y in points]))
        data += [_ring(x, y) for x, y in rings[place : place + 1] if y]
    axis: Part = PLAIN_AXIS | {"type": "log", "tickfont": {"size": 11}}
    word, font = SIZE_TITLES[letter].partition(", ")[2], {"size": 12}
    ticks = sorted({x for line in data for x in line["x"]})
    across = {"title": {"text": SIZE_TITLES[letter], "font": font}, "tickvals": ticks}
    across["ticktext"] = [f"{tick:g}" for tick in ticks]
    upwards = {"title": {"text": title, "font": font}, "exponentformat": "power", "dtick": 1}
    parts = WITH_LEGEND | {"margin": {"l": 64, "r": 12, "t": 56, "b": 48}}
    parts |= {"xaxis": axis | across, "yaxis": axis | upwards}
    says = f"{description} as {letter} grows ({word})."
    return {"data": data, "layout": layout(340, says, **parts)}


def _line(name: str, place: int, x: Sequence[float], y: Sequence[float]) -> Part:
    """A curve with its own colour, dash and symbol, so that equal curves can both be seen."""
    color, dash, symbol = f"@head {place}", COUNT_DASHES[place % 4], COUNT_SYMBOLS[place % 4]
    line = {"color": color, "width": 4 - 0.8 * place, "dash": dash}
    marker = {"color": color, "size": 10 - 1.5 * place, "symbol": symbol}
    hover = "%{x}: <b>%{y:,.4~g}</b><extra>" + name + "</extra>"
    about = {"mode": "lines+markers", "name": name, "line": line, "hovertemplate": hover}
    return marks(x, y, marker, **about)


def _ring(x: float, y: float) -> Part:
    marker = {"symbol": "circle-open", "size": 18, "color": "@focus", "line": {"width": 2}}
    return marks([x], [y], marker, showlegend=False, hoverinfo="skip")
