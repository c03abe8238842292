"""The page *The KV cache*: a text token by token, with the cache of keys and values and without."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_lab.trained.allowed_models import writing_model
from attention_lab.trained.cached_step import (
    CachedStep,
    multiplications,
    numbers_kept,
)
from attention_lab.trained.facts import CacheFacts, cache_facts
from attention_lab.trained.language_text import language_ids, limits_of

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Choice, Number, Switch
from ..payload import JSON
from ..pieces import label_of
from ..story.story_view import StoryView
from .head_pages import OFF, all_on, off_parts
from .text_notes import text_notes, which_model

LAYER, HEAD, FIRST_PLACE = "ca_layer", "ca_head", 4
RESTARTS = Switch("ca_restarts", "Mistake: positions from 0", False)
TOP_LEFT = Switch("ca_top_left", "Mistake: mask at the top left", False)
MISTAKES = (RESTARTS, TOP_LEFT)
PLAY = Switch("ca_play", "Play", False, help="A token every second.")
TOKENS = "ca_tokens"
SECONDS = 1.0  # between two tokens
WAYS = CACHED, UNCACHED = "with a cache", "without a cache"
SHARES, BARS = "shares", "cost"
BAR_CELLS = 4.0  # the width of a bar, in cells
NOT_COMPUTED = "not computed in this step"
ABOUT_ROTARY = (
    " Rotary positions count four multiplications for each pair of features of a query or key."
)
WHAT_GOES_WRONG = {
    RESTARTS.key: (
        "The positions of every step begin at 0. So the new token is treated as if it were the"
        " first one, and its distance to every key is wrong."
    ),
    TOP_LEFT.key: (
        "The causal mask of one row and many columns is laid at the top left, where row 0 sees key"
        " 0 alone. So the new token reads only the start. The mask belongs at the bottom right."
    ),
}


def _choices(view: StoryView) -> Sequence[Choice]:
    n_ids, model = len(_ids(view)), view.scenario.model
    says, most = "Every step to the right computes one more token.", max(2, n_ids)
    so_far = Number(TOKENS, "Tokens so far", n_ids, 1, most, look="scale", help=says)
    about = "How many tokens the first step takes: a prompt is computed at once."
    first = Number("ca_first", "At once", min(8, n_ids), 1, n_ids, help=about)
    opened = writing_model(model)
    layer, head = (
        Number(key, label, min(FIRST_PLACE, n - 1), 0, n - 1, variant=model)
        for key, label, n in ((LAYER, "Layer", opened.n_layers), (HEAD, "Head", opened.n_heads))
    )
    return (so_far, PLAY, layer, head, first, *MISTAKES, OFF)


def _ids(view: StoryView) -> tuple[int, ...]:
    return language_ids(view.scenario.text, view.scenario.n_tokens, view.scenario.model)


def step_of(view: StoryView, values: b.Values) -> CachedStep:
    """The step of the page. Raises: AttentionError."""
    ids = _ids(view)[: values[TOKENS]]
    first = min(values["ca_first"], len(ids))
    restarts, top_left = (values[one.key] for one in MISTAKES)
    off, model = off_parts(view, values[OFF.key]), view.scenario.model
    return CachedStep(ids, first, restarts, top_left, off, model)


def _blocks(view: StoryView, values: b.Values, facts: CacheFacts) -> Sequence[b.Block]:
    """Both ways side by side, what goes wrong, and the bill. Raises: AttentionError."""
    step, place = step_of(view, values), (values[LAYER], values[HEAD])
    ids, opened = _ids(view), writing_model(view.scenario.model)
    labels, p = tuple(opened.pieces(ids)), opened.decoder.layers[0].attention
    so_far, play, layer, head, first = (b.Field(one, values[one.key]) for one in _choices(view)[:5])
    after, n_all = _length_after(step, min(first.value, len(ids)), len(ids)), len(ids)
    label = "Next token" if after > len(step.ids) else "From the start"
    step_on = b.Button(label, {TOKENS: after}, name="next token")
    sides = tuple(
        (
            b.Text(_counter(facts, way)),
            b.Board(side_board(step, labels, place, way), f"cache {way}", fits=True),
        )
        for way in WAYS
    )
    plays = play.value and n_all > 1
    return [
        b.Text(_what_is_computed(facts)),
        *text_notes(view),
        b.Row((*which_model(view), so_far, step_on, play, layer, head, *all_on(step.off))),
        b.Beside(sides, (1, 1)),
        *([b.Later(SECONDS, {TOKENS: after, PLAY.key: after < n_all})] if plays else []),
        _agreement(step, facts),
        b.Row((*_mistakes(values), first)),
        b.Heading("The bill"),
        b.Text("What is kept of the keys and values of all layers, after these tokens:"),
        _kept(step, opened.longest),
        b.Text(
            "The shares of earlier tokens are not needed again, because the mask hides the new"
            " token from them. Their keys and values are: the new query reads all of them. Heads"
            " that share keys and values make the cache smaller. This changes the model, so it must"
            " be trained so; this one was trained with"
            f" {p.groups} sets for its {p.n_heads} heads."
        ),
        b.Heading("What is counted"),
        _counted(step),
        b.Text(_counted_in_words(step)),
        b.Text(limits_of(step.model), small=True),
    ]


def _length_after(step: CachedStep, n_first: int, n_all: int) -> int:
    """How many tokens there are after the next step; after the last one the first step follows."""
    n = len(step.ids)
    return n_first if n < n_first or n >= n_all else n + 1


def _mistakes(values: b.Values) -> list[b.Button]:
    return [
        b.Button(
            one.label if not values[one.key] else "Right again",
            {one.key: not values[one.key]},
            WHAT_GOES_WRONG[one.key],
            name=one.key,
        )
        for one in MISTAKES
    ]


def _counter(facts: CacheFacts, way: str) -> str:
    """The two numbers that run along."""
    now, so_far = (both[WAYS.index(way)] for both in (facts.now, facts.so_far))
    return f"**{way.capitalize()}**: **{now}** multiplications now, **{so_far}** in all"


def _what_is_computed(facts: CacheFacts) -> str:
    """The answer in one or two sentences."""
    if facts.at_once:
        return f"Computed at once: {facts.n} tokens. With a cache the keys and values are kept."
    wrong = ""
    if facts.gap:
        wrong = f" **With the mistake, a share is wrong by up to {facts.gap}.**"
    return (
        f"“{escape_markdown(label_of(facts.last))}” is new: **one** query, one key, one value, one"
        f" row. Earlier tokens whose keys and values are kept, pale here: {facts.kept}. This saves"
        f" {facts.saved} of the multiplications.{wrong}"
    )


def _agreement(step: CachedStep, facts: CacheFacts) -> b.Note:
    if not facts.gap:
        small = facts.rounding
        said = f"The largest difference is {small}, from rounding." if small else ""
        return b.Note(f"Both ways give the same shares, in all layers and heads. {said}", "right")
    on = {RESTARTS.key: step.restarts, TOP_LEFT.key: step.top_left}
    wrong = " ".join(WHAT_GOES_WRONG[key] for key, is_on in on.items() if is_on)
    return b.Note(
        f"{wrong} A share is wrong by up to {facts.gap}. All shapes are right, and nothing fails.",
        "wrong",
    )


def _kept(step: CachedStep, longest: int) -> b.Table:
    decoder, n = step.decoder, len(step.ids)
    n_heads, n_groups = (getattr(decoder.layers[0].attention, one) for one in ("n_heads", "groups"))
    kinds = {f"MHA: {n_heads} key/value heads": n_heads, "MQA: 1": 1}
    if n_groups not in (1, n_heads):
        kinds[f"this model (GQA): {n_groups}"] = n_groups
    rows = []
    for name, groups in sorted(kinds.items(), key=lambda one: -one[1]):
        kept = [numbers_kept(decoder, size, groups) for size in (1, n, longest)]
        made = [multiplications(decoder, rows, n, groups).total for rows in (step.n_new, n)]
        rows.append([name, *(f"{one:,}" for one in (*kept, *made))])
    head = ["numbers kept of a token", "now", f"of {longest:,} tokens"]
    return b.Table(["", *head, "multiplications of this step", "without a cache"], rows)


def _counted(step: CachedStep) -> b.Table:
    """The multiplications of this step, part by part."""
    ways = (step.counts, step.counts_without)
    rows = [
        [name.replace("_", "-"), *(f"{one.of_layer[name]:,}" for one in ways)]
        for name in step.counts.of_layer
    ]
    layer = [sum(one.of_layer.values()) for one in ways]
    n_layers = step.counts.n_layers
    rows += [
        ["**one layer, all its heads**", *(f"**{one:,}**" for one in layer)],
        [f"{n_layers} layers", *(f"{n_layers * one:,}" for one in layer)],
        ["logits of the last token", *(f"{one.logits:,}" for one in ways)],
        ["**this step**", *(f"**{one.total:,}**" for one in ways)],
    ]
    return b.Table(["", "with a cache", "without"], rows)


def _counted_in_words(step: CachedStep) -> str:
    one, p = step.counts, step.decoder.layers[0].attention
    per_head = one.queries // p.n_heads
    hidden = [one.n_layers * way.hidden for way in (step.counts, step.counts_without)]
    return (
        f"A part of a layer counts for all its heads; the queries of one head are {per_head:,} of"
        f" {one.queries:,}.{ABOUT_ROTARY if one.rotary else ''} The logits are made for the last"
        " token alone, both ways. **Hidden cells are counted**, because programs compute them and"
        f" throw them away: with a cache {hidden[0]:,}, without {hidden[1]:,} multiplications of"
        " this step are for them. Norms, the scale, the softmax and products of single features are"
        " not counted."
    )


@dataclass(frozen=True)
class _Rows:
    """The rows of the matrices of one side: computed now, kept since an earlier step, or empty.

    n_all: rows in all. first: of those that are computed now. n: how many tokens there are so far.
    """

    n_all: int
    first: int
    n: int

    def placed(self, numbers: Array, width: int) -> Array:
        """The numbers of the last rows so far, in a matrix of all rows that is else empty."""
        placed = np.full((self.n_all, width), np.nan)
        placed[self.n - len(numbers) : self.n, : numbers.shape[1]] = numbers
        return placed

    @property
    def pale(self) -> Array:
        """Which rows were computed earlier. Shapes: (N, 1) bool."""
        return (np.arange(self.n_all) < self.first)[:, np.newaxis]


def side_board(step: CachedStep, labels: tuple[str, ...], place: tuple[int, int], way: str) -> JSON:
    """One way to compute a step: a line for each token, with its key, its value, its shares, and
    what its step multiplied. labels: of the whole text. place: layer and head. way: of `WAYS`.
    """
    (layer, head), n, cached = place, len(step.ids), way == CACHED
    rows = _Rows(len(labels), n - step.n_new if cached else 0, n)
    keys, values, shares = step.lines(layer, head, cached)
    tokens = Side("query position", labels)
    kept = [
        _kept_matrix(kind, rows, numbers, tokens, column)
        for column, (kind, numbers) in enumerate((("key", keys), ("value", values)))
    ]
    read = _share_matrix(rows, shares, tokens)
    what = (
        f"The text {way}, a line for each token: key, value, shares of layer {layer}, head {head},"
        " and the multiplications of its step. What is kept since an earlier step is pale."
    )
    cell = (SHARES, n - 1, int(np.nanargmax(read.numbers[n - 1])))
    board = matrix_board([*kept, read, _bars(step, tokens, cached)], cell, what)
    for panel in board["panels"]:
        # One line of matrices, with the tokens written once.
        panel |= {"badge": "", "role": "total", "bare": "rows"}
        if panel["array"] == BARS:
            panel |= {"bars": BAR_CELLS, "bare": True}
    return board


def _kept_matrix(kind: str, rows: _Rows, numbers: Array, tokens: Side, column: int) -> Matrix:
    """The keys or the values of all tokens so far."""
    placed = rows.placed(numbers, numbers.shape[1])
    return Matrix(
        f"{kind}s",
        placed,
        tokens,
        Side("feature"),
        (column, 0),
        f"{kind}s",
        role=kind,
        pale=np.broadcast_to(rows.pale, placed.shape),
        absent="not computed yet",
        says=f"This feature of the {kind}",
    )


def _share_matrix(rows: _Rows, shares: Array, tokens: Side) -> Matrix:
    """The rows of shares that the step computes; all others are empty."""
    placed = rows.placed(shares, rows.n_all)
    return Matrix(
        SHARES,
        placed,
        tokens,
        Side("key position", tokens.labels),
        (2, 0),
        SHARES,
        kind="probability",
        hidden=np.triu(np.ones(placed.shape, bool), 1) & ~np.isnan(placed),
        absent=NOT_COMPUTED,
        says="This token gives this key the share",
    )


def _bars(step: CachedStep, tokens: Side, cached: bool) -> Matrix:
    """What each step multiplied, beside the last token that it computed, as a part of what the
    whole text would need at once.
    """
    n_all, decoder = len(tokens.labels or ()), step.decoder
    groups = decoder.layers[0].attention.groups
    most = multiplications(decoder, n_all, n_all, groups).total
    totals = step.totals[0 if cached else 1]
    shares = np.full((n_all, 1), np.nan)
    shares[len(step.ids) - len(totals) : len(step.ids), 0] = np.array(totals) / most
    earlier = np.arange(n_all)[:, np.newaxis] < len(step.ids) - 1
    return Matrix(
        BARS,
        shares,
        tokens,
        Side("step", ("",)),
        (3, 0),
        BARS,
        kind="probability",
        role="total",
        pale=earlier,
        absent="no step ends here",
        says="Of the multiplications of the whole text at once, this step needs",
    )


def _facts(view: StoryView, values: b.Values) -> CacheFacts:
    return cache_facts(step_of(view, values))


CACHE = page_of_facts("cache", _choices, _facts, _blocks)
