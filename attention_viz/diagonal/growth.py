"""Charts of the growth of self-attention with the width: exact curves, and measured points."""

from collections.abc import Mapping, Sequence

from attention_lab.diagonal.growth import CURVE_WIDTHS, TIED_WIDTH, Curves, Estimate, Growth, curves
from attention_lab.diagonal.growth_curves import half_mass_width

from ..curves import WITH_LEGEND, chart_axis, doubling_axis, error_bar_series, line_series
from ..parts import Part, dashed_line, layout
from ..theme import Figure

Points = Mapping[tuple[int, int], Estimate]  # by number of tokens and width
TICKS = (1, 2, 4, 8, 16, 32, 64, 128)


def mass_figure(
    growth: Growth, counts: Sequence[int], points: Points, lines: Sequence[str]
) -> Figure:
    """Mean self-attention mass D against the width, with one colour for each number of tokens.

    lines: the curves that are drawn, of exact, bound, rule and uniform. counts: the numbers of
    tokens, from small to large.
    """
    data: list[Part] = []
    for place, n_tokens in enumerate(counts):
        by_width, color = _curves(growth, n_tokens), f"@head {place}"
        line_styles = {
            "exact": (by_width.self_mass, "solid"),
            "bound": (by_width.bound, "dot"),
            "rule": (by_width.rule, "dash"),
            "uniform": ([by_width.uniform] * len(CURVE_WIDTHS), "longdashdot"),
        }
        for line in lines:
            y, dash = line_styles[line]
            shown = {"legendgroup": str(n_tokens), "showlegend": line == lines[0]}
            data.append(line_series(CURVE_WIDTHS, y, f"N = {n_tokens}", color, dash, **shown))
        data.append(_points(growth, points, n_tokens, color, "self_mass", showlegend=not lines))
    around = _around(growth, "mean self-attention mass D", "self-attention mass", points)
    return {"data": data, "layout": around | {"shapes": _half_masses(growth, counts)}}


def _curves(growth: Growth, n_tokens: int) -> Curves:
    return curves(n_tokens, scaled=growth.scaled, causal=growth.causal)


def argmax_figure(growth: Growth, counts: Sequence[int], points: Points) -> Figure:
    """The share R of rows whose maximum is on the diagonal, against the width."""
    data: list[Part] = []
    for place, n_tokens in enumerate(counts):
        rates, color, name = (
            _curves(growth, n_tokens).argmax_rate,
            f"@head {place}",
            f"N = {n_tokens}",
        )
        data += [
            line_series(CURVE_WIDTHS, rates, name, color, legendgroup=name),
            _points(growth, points, n_tokens, color, "argmax_rate", legendgroup=name),
        ]
    around = _around(growth, "diagonal argmax rate R", "argmax rate", points)
    return {"data": data, "layout": around}


def _points(
    growth: Growth, points: Points, n_tokens: int, color: str, field: str, **more: object
) -> Part:
    """The measured points of a number of tokens, by width."""
    mine = {
        width: points[n_tokens, width] for width in growth.widths if (n_tokens, width) in points
    }
    heights = [getattr(estimate, field) for estimate in mine.values()]
    errors = [getattr(estimate, f"{field}_error") for estimate in mine.values()]
    name, about = f"N = {n_tokens}, measured", {"showlegend": False} | more
    return error_bar_series(list(mine), heights, errors, name, color, **about)


def _half_masses(growth: Growth, counts: Sequence[int]) -> list[Part]:
    """A dotted line at each width at which D = 1/2 by the half-mass rule, which is for attention
    without a mask.
    """
    if growth.causal:
        return []
    widths = [half_mass_width(n_tokens, scaled=growth.scaled) for n_tokens in counts]
    return [
        dashed_line(width, -0.02, width, 0.5, f"@head {place}", 1, "dot")
        for place, width in enumerate(widths)
        if width >= CURVE_WIDTHS[0]
    ]


def _around(growth: Growth, name: str, short: str, points: Points) -> Part:
    over = "d_k, the width of a query" if growth.tied else "C, the number of features"
    description = f"Chart: the {short} against {over}, with {len(points)} measured points."
    ticks = [tick for tick in TICKS if not growth.tied or tick <= TIED_WIDTH]
    parts = WITH_LEGEND | {
        "xaxis": doubling_axis(over, ticks),
        "yaxis": chart_axis(name, range=[-0.02, 1.04], tickformat=".1f"),
    }
    return layout(400, description, **parts)
