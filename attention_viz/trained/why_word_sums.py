"""The arithmetic of *Why this word?*: the sum, the loss in three, the sources, the logit lens, and
the evidence of forty sentences.
"""

from collections.abc import Sequence

import numpy as np

from attention_core.rules import RUNNING, Position, Rule, read
from attention_lab.trained.decoder import FEED_FORWARD
from attention_lab.trained.decoder import Part as PartName
from attention_lab.trained.evidence import FORMS, NAMES, Evidence, evidence_of
from attention_lab.trained.facts import WhyFacts
from attention_lab.trained.language_model import MEAN
from attention_lab.trained.model_run import AVERAGE, Against, LanguageModelRun
from attention_lab.trained.why_word import WhyWord
from attention_lab.whose_heads import LANGUAGE
from attention_lab.words.numbers import as_sum, format_number, format_percent
from attention_lab.words.pieces import readable

from .. import blocks as b
from ..curves import PLAIN_AXIS, bar_series, chart_axis, marks
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Select
from ..parts import Part, annotation, dashed_line, layout
from ..payload import JSON
from ..theme import Figure
from .head_pages import ALL_HEADS, OPEN

MOST_SENT = 300_000  # numbers of the parts
ADDED = "added"
EVIDENCE_FORM = Select(
    "why_form", "Sentences", "0", {str(n): form.format("…", "…") for n, form in enumerate(FORMS)}
)
DOT_ROWS = 25  # places for dots across the strip, so that dots do not hide each other


def arithmetic(why: WhyWord, facts: WhyFacts, against: b.Field, form: str) -> list[b.Block]:
    """All that stands below the picture. Raises: AttentionError."""
    layer, head = why.focus
    place = {"th_model": LANGUAGE, OPEN.key: True, "th_layer": layer, "th_head": head}
    return [
        b.Heading("1. The sum"),
        b.Row((against, b.Link("Open this head", ALL_HEADS, place))),
        b.Text(_sum_in_words(why, facts)),
        b.Board(sum_board(why), "why sum", clicks={ADDED: _clicks(why)}),
        b.Folded("Why not the logit itself?", [b.Text(ABOUT_SUMS)]),
        b.Heading("2. What its loss costs"),
        b.Text(_loss_in_words(why, facts)),
        b.Heading("3. Where it comes from"),
        b.Text(_sources_in_words(facts)),
        b.Chart(source_bars(why), "why sources"),
        b.Heading("4. Cut off early: the logit lens"),
        b.Text(ABOUT_LENS),
        _after_each_layer(why),
        *(_evidence(why, form) if why.is_measured else []),
    ]


def _evidence(why: WhyWord, form: str) -> list[b.Block]:
    """How often the head matters, in sentences that are made for stories260K."""
    evidence = evidence_of(why.focus, int(form), why.replaced_by)
    return [
        b.Heading(f"Evidence: {len(NAMES)} sentences"),
        b.Row((b.Field(EVIDENCE_FORM, form),)),
        b.Text(_evidence_in_words(evidence, why)),
        b.Chart(evidence_strip(evidence), "why evidence"),
        b.Folded("How the sentences were made", [b.Text(ABOUT_EVIDENCE)]),
    ]


def _piece(why: WhyWord) -> str:
    return f"“{escape_markdown(readable(why.before.vocabulary[why.piece]))}”"


def _what(why: WhyWord, facts: WhyFacts) -> str:
    """What is explained, in words."""
    logit = f"The logit of “{escape_markdown(facts.piece)}”"
    if why.against == AVERAGE:
        return f"{logit} above the mean of all {facts.n_logits} logits"
    if why.against is None:
        return f"{logit} alone"
    return f"{logit} minus that of “{escape_markdown(facts.against)}”"


def _sum_in_words(why: WhyWord, facts: WhyFacts) -> str:
    """The sum of the three kinds of parts, and the part that leads."""
    *numbers, total = facts.kinds
    kinds = ("the last token itself", "all heads", "all feed-forward parts, FFN", "all biases")
    parts = [f"{number} ({kind})" for number, kind in zip(numbers, kinds, strict=False)]
    about = f"“{escape_markdown(facts.word)}” begins with the piece {_piece(why)}. "
    if facts.word == facts.piece:
        about = ""
    on = ""
    if why.off:
        on = " It is that of the model with the head in focus on and the rest as it is set."
    says = f"{about}{_what(why, facts)} is **{total}** = {as_sum(parts)}.{on}"
    if (first := facts.leading) and (second := facts.second):
        says += (
            f" The largest part comes from **{first.name}**: {first.added}; next of"
            f" {facts.n_parts} parts is {second.name} with {second.added}."
        )
    return says


def sum_board(why: WhyWord) -> JSON:
    """What each head and each feed-forward part adds, layer by layer; each cell is the product of
    its vector with the direction of the piece.
    """
    return run_sum_board(why.run, why.piece, why.focus, why.against)


def run_sum_board(
    run: LanguageModelRun, piece: int, cell: tuple[int, int], against: Against = AVERAGE
) -> JSON:
    """The same of a run and a piece. cell: layer and part of the pinned one."""
    names, parts_ND = run.parts()
    direction_D, n_layers = run.direction(piece, against) / run.divisors[-1], len(run.traces)
    columns = tuple(_column(name) for name in names[1 : 1 + (len(names) - 1) // n_layers])
    added = (parts_ND[1:] @ direction_D).reshape(n_layers, len(columns))
    layers = Side("layer", tuple(f"layer {number}" for number in range(n_layers)))
    at = Position(((0, len(columns)), (1, 1)))
    rule: Rule | None = Rule(
        "sum", (read("parts", at, RUNNING), read("direction", Position(), RUNNING)), len(parts_ND.T)
    )
    features = Side("feature")
    told = [
        Matrix("parts", parts_ND[1:], Side("part of the sum"), features, None, "part"),
        Matrix("direction", direction_D[np.newaxis], Side("row"), features, None, "its direction"),
    ]
    if parts_ND.size > MOST_SENT:
        told, rule = [], None
    parts = Matrix(
        ADDED,
        added,
        layers,
        Side("part", columns),
        (0, 0),
        "what each part adds",
        kind="logit",
        rule=rule,
    )
    return matrix_board([*told, parts], (ADDED, *cell), "What each head and each FFN adds.")


def _column(part: PartName) -> str:
    """A part of a layer in a word."""
    match part:
        case (_, _, int(head)):
            return f"head {head}"
        case (str(kind), _):
            return {FEED_FORWARD: "FFN"}.get(kind, kind)
    return str(part)


def _clicks(why: WhyWord) -> list[dict[str, str]]:
    """A click on a head looks at it; on what stands after the heads, it sets nothing."""
    n_layers, n_heads = why.grid
    n_columns = n_heads + 1 + (why.run.decoder.layers[0].output_bias is not None)
    return [
        {"why_head": f"{layer}.{place}"} if place < n_heads else {}
        for layer, place in np.ndindex(n_layers, n_columns)
    ]


ABOUT_SUMS = (
    "The vector of the last token is a sum: its embedding, and what every head and every"
    " feed-forward part has added. The last norm divides it by one number, which is held at its"
    " value here. A part adds its dot product with the direction of the piece.\n\nA number that is"
    " added to all logits changes no probability, so a part that raises all of them alike does"
    " nothing. Against the average piece such a part counts 0. In the logit alone it counts, and"
    " may even be named first. The difference from one other word says why this one and not that"
    " one."
)
ABOUT_LENS = (
    "The last norm and the embedding, applied after an earlier layer: what would come next if no"
    " layer followed. **What it is not:** a thought of that layer. No middle layer was trained to"
    " be read so. The matrix that reads is also the one that embeds, so at the beginning it finds"
    " pieces like the last one. What a layer writes for later layers alone, it cannot show."
)


TURNED_BY = {
    "response": "the other parts",
    "norm": "the norm",
    "both": "the other parts and the norm",
}


def _loss_in_words(why: WhyWord, facts: WhyFacts) -> str:
    """The loss of the head in focus in three, which of them turned its sign, and self-repair."""
    direct, response, norm, total = facts.loss
    filling = " (its mean stays)" if why.replaced_by == MEAN else ""
    says = (
        f"Switched off{filling}, with all that follows computed again, **head {facts.head} of"
        f" layer {facts.layer}** costs **{total}** = {as_sum([direct, response, norm])}:\n\n"
        f"- **{direct}**: what it wrote itself.\n"
        f"- **{response}**: what other parts wrote because of it. Below 0: without it they write"
        " more.\n"
        f"- **{norm}**: the last norm divides by another number.\n\n"
    )
    if facts.turned_by:
        says += (
            "The loss has another sign than what the head wrote itself: the two disagree."
            f" What turned it: {TURNED_BY[facts.turned_by]}. "
        )
    if facts.repaired:
        much = f"{facts.repaired}" if facts.repaired <= 1 else f"more than all ({facts.repaired})"
        says += f"**Self-repair:** the other parts make up for **{much}** of what it wrote."
    return says


def _sources_in_words(facts: WhyFacts) -> str:
    """The head's part by the words that it read it from."""
    own, rest, total = facts.added
    return (
        f"Head {facts.head} of layer {facts.layer} itself adds {total}. From"
        f" “{escape_markdown(facts.source)}”, which it reads with {facts.source_read}, come"
        f" **{own}**; from all other words together {rest}."
    )


def source_bars(why: WhyWord) -> Figure:
    """What the head in focus adds from each word of the text, one bar over each."""
    words = [escape_html(word) for word, _, _ in why.sources]
    places = list(range(len(words)))
    layer, head = why.focus
    added = np.array([value for _, value, _ in why.sources])
    hover = "%{text}<extra></extra>"
    texts = [
        f"{word}: <b>{format_number(value)}</b><br>read with {format_percent(share)}"
        for word, (_, value, share) in zip(words, why.sources, strict=True)
    ]
    bars = bar_series(places, added, "adds", "@value", hovertemplate=hover, text=texts)
    description = f"What head {head} of layer {layer} adds from each of {len(words)} words."
    about = {
        "margin": {"l": 56, "r": 8, "t": 8, "b": 60},
        "xaxis": PLAIN_AXIS | {"tickvals": places, "ticktext": words, "showgrid": False},
        "yaxis": chart_axis("adds", zeroline=True),
        "showlegend": False,
    }
    return {"data": [bars | {"textposition": "none"}], "layout": layout(200, description, **about)}


def escape_html(text: str) -> str:
    """A word for Plotly, which reads some HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _after_each_layer(why: WhyWord) -> b.Table:
    head = ["after", "it would say", "with", f"share of {_piece(why)}"]
    rows = []
    for layer in range(-1, len(why.run.traces)):
        shares_X = why.shares_after(layer)
        most = int(shares_X.argmax())
        rows.append(
            [
                f"layer {layer}" if layer >= 0 else "the embedding",
                f"“{escape_markdown(readable(why.before.vocabulary[most]))}”",
                format_percent(float(shares_X[most])),
                format_percent(float(shares_X[why.piece])),
            ]
        )
    return b.Table(head, rows)


def _evidence_in_words(evidence: Evidence, why: WhyWord) -> str:
    """How often the head matters, by how much, and where the frog stands."""
    layer, head = evidence.head
    least, most = evidence.extremes
    filling = "with its mean in its place" if why.replaced_by == MEAN else "switched off"
    return (
        f"The same question with {len(NAMES)} names: does the model say the name again, and what"
        f" is left of its probability with head {head} of layer {layer} {filling}, and all other"
        f" parts on? In **{evidence.n_mattering} of {len(NAMES)}** sentences less than half is"
        f" left; in the middle one **{format_percent(evidence.median)}** is left. Least is left"
        f" of “{least}”, most of “{most}”; of “frog” {format_percent(float(evidence.left[0]))}, and"
        f" {evidence.rank(NAMES[0])} names lose a larger part. One sentence is an example, no"
        " proof."
    )


ABOUT_EVIDENCE = (
    f"All {len(NAMES)} names have four pieces, as “frog” has. A name with more or fewer pieces"
    " moves all tokens after it, and heads that look at distances react to that alone. The names"
    " were chosen before any was tried. The forms are three of six that were tried: in them the"
    " model mostly says the name again. The probability is that of the name as the model’s own"
    " pieces spell it, and that it ends there. All of it is computed when the page asks for it."
)


def evidence_strip(evidence: Evidence) -> Figure:
    """A dot for each sentence over what is left of the probability of its name; the frog is
    marked.
    """
    left = (100 * evidence.left).tolist()
    heights, (layer, head) = _stacked(left), evidence.head
    top = max(heights) + 1.5
    description = (
        f"What is left of the probability of each name without head {head} of layer {layer}:"
        f" {len(NAMES)} dots, of “{NAMES[0]}” {left[0]:.0f} %."
    )
    line = dashed_line(left[0], heights[0], left[0], top - 0.7, "@focus", 1, "dot")
    about = {
        "margin": {"l": 12, "r": 12, "t": 8, "b": 44},
        "xaxis": chart_axis("% of the probability that is left", rangemode="tozero"),
        "yaxis": {"visible": False, "fixedrange": True, "range": [-1, top + 0.8]},
        "showlegend": False,
        "annotations": [annotation(left[0], top, NAMES[0], "@focus")],
        "shapes": [line],
    }
    return {"data": _dots(evidence, heights), "layout": layout(200, description, **about)}


def _dots(evidence: Evidence, heights: list[int]) -> list[Part]:
    """A dot for each sentence, and the mark of the first one."""
    rows = zip(NAMES, evidence.before, evidence.after, evidence.left, strict=True)
    dots = marks(
        (100 * evidence.left).tolist(),
        heights,
        {"color": "@query", "size": 10, "opacity": 0.75},
        name="one sentence",
        text=[
            f"{name}: {format_percent(before)} → {format_percent(after)}<br><b>{left:.0%} left</b>"
            for name, before, after, left in rows
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    first = {name: dots[name][:1] for name in ("x", "y", "text")}
    mark = {"color": "@focus", "size": 14, "symbol": "diamond"}
    return [dots, dots | first | {"name": NAMES[0], "marker": mark}]


def _stacked(values: Sequence[float]) -> list[int]:
    """Heights for dots over their values: dots that would hide each other stand on one another."""
    width = max(max(values), 100) / (2 * DOT_ROWS)
    heights: list[int] = []
    for place, value in enumerate(values):
        near = {
            height
            for other, height in zip(values, heights, strict=False)
            if abs(other - value) < width
        }
        heights.append(next(height for height in range(place + 1) if height not in near))
    return heights
