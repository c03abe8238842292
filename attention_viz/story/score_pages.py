"""What the steps *Scores*, *Scale*, *QK-norm* and *Rotary positions* say below their stages. At the
end: a pair of features as an arrow in the plane, before and after its turn.
"""

import math
from functools import partial

from attention_core.derivation import Derivation
from attention_lab.masks.temperature import score_spreads
from attention_lab.rotary_pairs import TurnedPair
from attention_lab.story.scores import (
    ScaleFacts,
    norm_facts,
    rotary_facts,
    scale_facts,
    score_facts,
)
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..curves import WITH_LEGEND, chart_axis, marks
from ..masks import temperature as figures
from ..parts import Part, layout
from ..payload import largest_magnitude
from ..theme import Figure
from .per_head import pair_board
from .step_page import derivation_line, pair, step_page, token
from .story_view import StoryView
from .why_three import why_three_blocks


def _scores(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    colours = (
        "Violet is a positive score: query and key point in similar directions and fit well. Orange"
        " is a negative score: they point apart. At the same angle longer vectors give a score"
        " further from 0, on either side."
    )
    in_all_heads = "One pair of tokens in all heads: the Hadamard product"
    return [
        derivation_line(derivation, pair(view)),
        b.Text(colours),
        b.Folded("Why Q, K and V?", partial(why_three_blocks, view)),
        b.Folded(in_all_heads, partial(_one_pair, view)),
    ]


def _one_pair(view: StoryView) -> list[b.Block]:
    """One pair of tokens in every head."""
    sizes, focus = view.trace.sizes, view.focus
    facts = score_facts(view.trace, focus.query, focus.key)
    h, d_k, many, wide = sizes["H"], sizes["K"], view.symbol("n_heads"), view.symbol("d_k")
    total = format_number(facts.total, among=largest_magnitude(view.trace.scores))
    wide_head = (
        f" is the dot product of the whole vectors, of width {h * d_k}: **{total}**. Code without"
        " the split computes only this sum, the score of one wide head."
    )
    if not facts.is_one_wide:
        wide_head = f": **{total}**."
    return [
        b.Text(
            f"Take the :blue[query of {token(view, 'T', focus.query)}] and the :red[key of"
            f" {token(view, 'S', focus.key)}] of every head (heads: {h}). The matrix product of the"
            " two stacks compares **every head with every head**; only its framed diagonal is"
            " needed. The product **number by number** (the Hadamard product ⊙), with each"
            f" {view.layout.row} added up, gives the same scores and nothing else."
        ),
        b.Board(pair_board(view.stage, focus.cell("query", "key")), "pair"),
        b.Text(
            f"- Multiplications for this pair: {many}² · {wide} = {h}² · {d_k} ="
            f" **{facts.n_full:,}** in the full product; {many} · {wide} = {h} · {d_k} ="
            f" **{facts.n_hadamard:,}** in the Hadamard product, and just as many with one product"
            f" per head.\n- The sum of the scores over the heads{wide_head}"
        ),
    ]


SCORES = step_page("scores", _scores)


def _scale(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    facts, d_k = scale_facts(view.trace, view.focus.head), view.trace.sizes["K"]
    wide = view.symbol("d_k")
    return [
        b.caption(
            f"Both matrices have the same colour scale: if |{view.symbol('scale')}| is below 1,"
            f" scaling makes the colours weaker. For the {view.layout.row} you point at you see the"
            " softmax of both (no mask)."
        ),
        derivation_line(derivation, pair(view)),
        b.Heading("Why?"),
        b.Text(
            f"A score is a sum of products; their number is the head width {wide} = {d_k}. If the"
            " numbers of queries and keys are independent, with mean 0 and variance 1, the variance"
            f" of the sum is {wide}, and its standard deviation √{wide} ="
            f" {format_number(d_k**0.5, 2)}. Multiplied by 1/√{wide}, the standard deviation is 1"
            " for every head width. Without the scale, wide heads would put nearly all weight on"
            " one key, and there the gradient of the softmax is almost 0."
        ),
        *_effect(view, facts),
        b.Folded("By the width of a head: variance and softmax", partial(_variance, view, facts)),
    ]


def _effect(view: StoryView, facts: ScaleFacts) -> list[b.Block]:
    """What the scale does to the scores and shares of the head."""
    effect, sink = facts.effect, ", without the sink" * (view.trace.sink is not None)
    bias = ", without ALiBi" * (view.trace.bias is not None)
    capped = " and soft cap" * (view.trace.softcap is not None)
    off = "0" if facts.sums_are_1 else format_number(effect.sum_gap)
    return [
        b.Text(
            f"Standard deviation of the scores in head {view.focus.head}:"
            f" {format_number(effect.spread_raw, 2)} before scaling{capped},"
            f" {format_number(effect.spread, 2)} after. Real queries and keys need not have mean 0,"
            " nor be independent. Largest share of a query, on average:"
            f" {format_percent(effect.top_raw)} with raw scores, {format_percent(effect.top)} with"
            f" scaled scores (no mask{bias}{sink})."
        ),
        b.Text(
            "**The scale makes no shares:** the softmax alone does. With raw scores and with scaled"
            f" ones, the shares of every query sum to 1{sink} (largest difference: {off}). The"
            " scale only sets how unequal they are"
            " ([claim](questions?concepts_words=note-root-and-softmax))."
        ),
    ]


def _variance(view: StoryView, facts: ScaleFacts) -> list[b.Block]:
    """The variance of random dot products by their length, and what it does to the softmax."""
    spreads = score_spreads()
    because = "all of them are equal"
    if facts.variance:
        because = "its queries and keys need not be independent, nor have variance 1"
    left: list[b.Block] = [
        b.Chart(figures.variance_figure(spreads), "variances"),
        b.caption(
            "Each point: 64 draws of 32 queries and 32 keys. The error bars are two standard"
            " errors. Both axes are logarithmic."
        ),
    ]
    right: list[b.Block] = [
        b.Chart(figures.saturation_figure(spreads), "saturation"),
        b.caption(
            "The same draws: the softmax of raw scores gets sharper with the width, that of scaled"
            " scores does not. The Jacobian is the matrix of all derivatives of shares by scores;"
            " its trace is 1 − Σ a²."
        ),
    ]
    return [
        b.Text(
            "**A dot product of d_k independent products of mean 0 and variance 1 has variance"
            f" d_k.** Measured on random queries and keys, the variance at d_k = {spreads[-1].d_k}"
            f" is {format_number(spreads[-1].variance, 1)}. Here d_k = {view.trace.sizes['K']}, and"
            f" the scores of head {view.focus.head} have variance"
            f" {format_number(facts.variance, 2)}, because {because}."
        ),
        b.Beside((left, right), (1, 1)),
    ]


SCALE = step_page("scale", _scale)


def _compared_line(view: StoryView, derivation: Derivation) -> b.Text:
    """The arithmetic of a number of a query or of a key, as one line."""
    _, head, place, number = derivation.index
    word = token(view, view.trace.axes(derivation.field)[2], place)
    return derivation_line(derivation, f"**Head {head}:** number {number} of {word}")


def _qk_norm(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    facts = norm_facts(view.trace, view.focus.head, view.focus.query)
    lengths = [format_number(one, 2) for one in (facts.query_length, facts.key_length)]
    most, largest = (format_number(one, 2) for one in (facts.most, facts.largest))
    share, capped = "", ", brought nearer to 0 by the soft cap" * facts.is_capped
    if facts.share is not None:
        query, share = token(view, "T", view.focus.query), format_percent(facts.share)
        share = (
            f" So {query} gives none of the {facts.n_seen} keys that it sees more than {share}:"
            f" 1/(1 + (n − 1)·e^(−2·{most}))."
        )
    return [
        _compared_line(view, derivation),
        b.Text(
            "With gain 1 every query and key has the length √"
            f"{view.trace.sizes['K']}; a gain multiplies it. In head {view.focus.head} the longest"
            f" query has {lengths[0]}, the longest key {lengths[1]}. A scaled score is the scale"
            f" ({format_number(view.trace.scale)}) times both lengths times the cosine of the angle"
            f" between them{capped}: at most {most} in size, and the largest here is"
            f" {largest}.{share}"
            " Without weights every token then looks most at itself: see [The diagonal of modern"
            " attention](modern-diagonal)."
        ),
    ]


QK_NORM = step_page("qk-norm", _qk_norm)


def _rotary(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    facts = rotary_facts(view.scenario, view.trace, derivation.field, derivation.index)
    pair_in_focus, codes = facts.pair, ""
    if facts.has_codes:
        codes = (
            " The codes of positions in the inputs are something else: they say where a token"
            " stands, and stay as they are here."
        )
    says = b.Text(
        f"**The pair in focus:** features {pair_in_focus.first} and {pair_in_focus.second} at"
        f" position {pair_in_focus.position}. Its arrow turns by"
        f" {format_number(pair_in_focus.angle, 4)} radians, and keeps its length"
        f" {format_number(pair_in_focus.length, 4)}. The first pair turns by 1 radian in each step,"
        " later pairs ever less, so that some see near neighbours apart and others distant"
        " tokens.\n\n**Only the distance counts.** A query turned by its angle meets a key turned"
        " by its own: in the dot product the difference of the angles is left. If all turns begin"
        f" {facts.places} positions later, no score of this layer moves by more than"
        f" {format_number(facts.shift_gap, 2)}: rounding.{codes}\n\n**Why not the values?** What a"
        " token passes on should not depend on where it stands; and the sum of values turned by"
        " different angles would mix them. Positions decide who looks where, by the scores alone."
    )
    chart = b.Chart(pair_figure(pair_in_focus), "pair")
    return [_compared_line(view, derivation), b.Beside(([chart], [says]), (2, 3))]


ROTARY = step_page("rotary", _rotary)


HEIGHT = 300  # px
MARGINS = {"l": 50, "r": 10, "t": 34, "b": 44}
N_ARC = 60  # points of an arc


def pair_figure(pair: TurnedPair) -> Figure:
    """Both arrows, and the way that the tip goes."""
    room = 1.2 * pair.length or 1.0
    begin = math.atan2(pair.before[1], pair.before[0])
    turns = [begin + pair.angle * step / N_ARC for step in range(N_ARC + 1)]
    if abs(pair.angle) > 2 * math.pi:  # the whole circle, once
        turns = [2 * math.pi * step / N_ARC for step in range(N_ARC + 1)]
    arc = {
        "type": "scatter",
        "mode": "lines",
        "name": "way of the tip",
        "x": [pair.length * math.cos(turn) for turn in turns],
        "y": [pair.length * math.sin(turn) for turn in turns],
        "line": {"color": "@muted", "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }
    data = [arc, _arrow(pair.before, "before", "@muted"), _arrow(pair.after, "turned", "@primary")]
    about = {"range": [-room, room], "fixedrange": True, "zeroline": True}
    first = chart_axis(f"feature {pair.first}", **about)
    second = chart_axis(f"feature {pair.second}", **about, scaleanchor="x")
    description = (
        f"The pair of features {pair.first} and {pair.second} as an arrow, before and after a turn"
        f" by {format_number(pair.angle, 4)} radians."
    )
    shown = WITH_LEGEND | {"margin": MARGINS, "xaxis": first, "yaxis": second}
    return {"data": data, "layout": layout(HEIGHT, description, **shown)}


def _arrow(tip: tuple[float, float], name: str, color: str) -> Part:
    x, y = tip
    hover = f"{name}: {format_number(x)}, {format_number(y)}<extra></extra>"
    shaft = {"mode": "lines+markers", "line": {"color": color, "width": 3}}
    head = {"size": [0, 9], "color": color}
    return marks([0.0, x], [0.0, y], head, name=name, hovertemplate=hover, **shaft)
