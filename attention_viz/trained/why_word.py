"""The page *Why this word?*: the logit of a piece as a sum of parts, and what each head is really
worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

import numpy as np

from attention_core.rules import RUNNING, Position, Rule, read
from attention_lab.trained.generation import next_probabilities
from attention_lab.trained.language_model import N_HEADS, N_LAYERS, language_model
from attention_lab.trained.language_text import LIMITS, language_ids, run_of_ids
from attention_lab.trained.why_word import WhyWord, logits_without

from .. import blocks as b
from ..labels import format_number, format_percent
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON, largest_magnitude
from ..pieces import bare
from ..sentence import one_head_part
from ..story.story_view import StoryView

NEXT, ALONE, LARGEST = "next", "none", "largest"
HEAD_KEY = "why_head"
COLUMNS = (*(f"head {head}" for head in range(N_HEADS)), "FFN")
ADDED, LOST = "added", "lost"


def _choices(view: StoryView) -> Sequence[b.Choice]:
    ids = language_ids(view.scenario.text, view.scenario.n_tokens)
    shares_X = next_probabilities(run_of_ids(ids).logits[-1])
    order_X = np.argsort(-shares_X, kind="stable").tolist()

    pieces = {str(one): f"{_quoted(one)} {format_percent(float(shares_X[one]))}" for one in order_X}
    first = {NEXT: f"the most probable: {_quoted(order_X[0])}"}
    heads = {
        f"{layer}.{head}": f"layer {layer}, head {head}"
        for layer in range(N_LAYERS)
        for head in range(N_HEADS)
    }
    return (
        b.Select("why_token", "Why", NEXT, first | pieces, resets=(HEAD_KEY,)),
        b.Select("why_against", "Rather than", ALONE, {ALONE: "—"} | pieces, resets=(HEAD_KEY,)),
        b.Select(HEAD_KEY, "Head", LARGEST, {LARGEST: "whose loss changes most"} | heads),
    )


def _quoted(one: int) -> str:
    return f"“{bare(language_model().pieces([one])[0])}”"


def why_of(view: StoryView, values: b.Values) -> WhyWord:
    """What the page explains. Raises: AttentionError."""
    ids = language_ids(view.scenario.text, view.scenario.n_tokens)
    token, against = values["why_token"], values["why_against"]
    first = int(run_of_ids(ids).logits[-1].argmax())
    return WhyWord(
        ids,
        first if token == NEXT else int(token),
        None if against in (ALONE, token) else int(against),
    )


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The sum, what happens without each head, and the chosen head. Raises: AttentionError."""
    why = why_of(view, values)
    lost_LH = why.lost_without
    layer, head = divmod(int(np.abs(lost_LH).argmax()), N_HEADS)
    if values[HEAD_KEY] != LARGEST:
        layer, head = map(int, values[HEAD_KEY].split("."))
    heads = [[{HEAD_KEY: f"{one}.{of}"} for of in range(N_HEADS)] for one in range(N_LAYERS)]
    # A click on a feed-forward part, after the heads of its layer, sets nothing.
    clicks = {LOST: list(chain(*heads)), ADDED: [one for line in heads for one in (*line, {})]}
    place = {"th_model": "language model", "th_layer": layer, "th_head": head}
    return [
        b.Text(_answer(why, layer, head)),
        b.row(values, *_choices(view)),
        b.Board(why_board(why, layer, head), "why", fits=True, clicks=clicks),
        b.Text(_sum_in_words(why)),
        b.Text(_about_head(why, layer, head)),
        b.Row((b.Link("Open this head", "one-head", place),)),
        b.Text("**What it would say if no layer followed:**"),
        _after_each_layer(why),
        b.Folded("How to read this", [b.Text(READING)]),
        b.Text(LIMITS, small=True),
    ]


def _answer(why: WhyWord, layer: int, head: int) -> str:
    """The share of the piece, what the chosen head adds to its logit, and the share without it."""
    logits = (why.run.logits[-1], logits_without(why.ids)[layer, head])
    before, after = (float(next_probabilities(logits_X)[why.token]) for logits_X in logits)
    piece, added = escape_markdown(_quoted(why.token)), float(why.of_layers[layer, head])
    to = "its logit" if why.against is None else "the difference"
    return (
        f"{piece} has **{format_percent(before)}**. Head {head} of layer {layer} adds"
        f" {format_number(added)} to {to} of {format_number(why.total)}; without this head"
        f" {piece} has **{format_percent(after)}**."
    )


def _sum_in_words(why: WhyWord) -> str:
    """The logit as a sum, and its largest part."""
    added = why.of_layers
    heads, feed_forward = why.of_kinds
    layer, place = divmod(int(added.argmax()), len(COLUMNS))
    what = f"The logit of {escape_markdown(_quoted(why.token))}"
    if why.against is not None:
        what += f" minus that of {escape_markdown(_quoted(why.against))}"
    return (
        f"{what} is **{format_number(why.total)}** = {format_number(why.of_embedding)} (the last"
        f" token itself) + {format_number(heads)} (heads) + {format_number(feed_forward)}"
        f" (feed-forward parts, FFN). Most comes from {COLUMNS[place]} of layer {layer}:"
        f" {format_number(added.max())}."
    )


def why_board(why: WhyWord, layer: int, head: int) -> JSON:
    """The parts of the sum, and how far it falls without each head; above them the text with the
    arcs of the chosen head.
    """
    added, lost = why.of_layers, why.lost_without
    layers = Side("layer", tuple(f"layer {number}" for number in range(N_LAYERS)))
    columns, only_heads = Side("part", COLUMNS), Side("head", COLUMNS[:-1])
    parts_ND = why.run.parts()[1][1:]  # without the embedding
    features, line = Side("feature"), Side("row")
    at = Position(((0, len(COLUMNS)), (1, 1)))
    rule = Rule(
        "sum", (read("parts", at, RUNNING), read("direction", Position(), RUNNING)), len(parts_ND.T)
    )
    what, falls = ("logit", "the logit") if why.against is None else ("difference", "it")
    limit = max(largest_magnitude(added), largest_magnitude(lost))
    drawn = partial(Matrix, rows=layers, kind="logit", limit=limit)
    matrices = [
        Matrix("parts", parts_ND, Side("part of the sum"), features, None, "part"),
        Matrix("direction", why.direction[np.newaxis], line, features, None, "its direction"),
        drawn(ADDED, added, columns=columns, place=(0, 0), title=f"adds to the {what}", rule=rule),
        drawn(
            LOST,
            lost,
            columns=only_heads,
            place=(1, 0),
            title=f"the {what} falls without it",
            says=f"Without this head {falls} falls by",
        ),
    ]
    what = "A row for each layer: what each head adds, and what is lost without it."
    board = matrix_board(matrices, (ADDED, layer, head), what)
    said = one_head_part(why.run.traces[layer], head, len(why.ids) - 1, f"layer {layer}, ")
    return board | {"sentence": said}


def _about_head(why: WhyWord, layer: int, head: int) -> str:
    """The chosen head in words: what it adds, what is lost without it, and where the two
    disagree.
    """
    added, lost = float(why.of_layers[layer, head]), float(why.lost_without[layer, head])
    says = (
        f"**Head {head} of layer {layer}** adds {format_number(added)}. Switched off, with all that"
        f" follows computed again, it takes {format_number(lost)} away."
    )
    if added * lost < 0:
        return f"{says} The two disagree in sign: other parts read what this head wrote."
    if abs(added - lost) > 0.25 * max(abs(added), abs(lost)):
        return f"{says} The two differ: other parts read what this head wrote, and the last norm."
    return says


def _after_each_layer(why: WhyWord) -> b.Table:
    head = ["after", "it would say", "with", f"share of {escape_markdown(_quoted(why.token))}"]
    rows = []
    for layer in range(-1, N_LAYERS):
        shares_X = why.shares_after(layer)
        most = int(shares_X.argmax())
        rows.append(
            [
                f"layer {layer}" if layer >= 0 else "the embedding",
                escape_markdown(_quoted(most)),
                format_percent(float(shares_X[most])),
                format_percent(float(shares_X[why.token])),
            ]
        )
    return b.Table(head, rows)


READING = (
    "The vector of the last token is a sum: its embedding, and what every head and every"
    " feed-forward part has added. The last norm divides it by one number. With this number held at"
    " its value, the logit is the sum of what each part adds: its dot product with the piece’s"
    " direction.\n\nSwitched off is another question. Then later layers read another vector, and"
    " answer differently; also the divisor of the norm changes. A head that adds little may matter"
    " because others read it, and a head that adds much may be replaced by others. So one head is"
    " not “the” reason."
)

WHY_THIS_WORD = b.BlockPage("why-this-word", _choices, _blocks)
