"""One head, open on the page *All heads of a model*: its heatmap, its lines, the arithmetic of
every cell, and its weights.
"""

from collections.abc import Sequence
from dataclasses import replace

from attention_core.derivation import derive
from attention_lab.focus import Focus
from attention_lab.trained.head_facts import (
    HeadFacts,
    head_facts,
)
from attention_lab.trained.head_finder import head_captions
from attention_lab.whose_heads import OWN, STORY_WEIGHTS, HeadsShown

from .. import blocks as b
from ..arithmetic import format_derivation
from ..heads.attention_lines import attention_lines
from ..layer_caption import columns_note
from ..markdown import escape_markdown, quote_token
from ..page_choices import Select, by_name
from ..story.closer import Closer, closer_blocks, closer_choices
from ..story.story_view import StoryView
from .head_pages import ALL_HEADS, CELL, OPEN, cell_clicks, fields, focus_of, place_choices
from .heads import STEP_FIELDS, attention_alone, layer_heads, one_head, step_board

LINES_DRAWN = {"from the query": "query", "to the key": "key", "all": "all"}
LINES = Select("oh_lines", "Lines", "from the query", by_name(LINES_DRAWN), "buttons")
STEP = Select("oh_step", "Step", "scores", by_name(STEP_FIELDS), "buttons")
STEP_SENTENCES = {
    "scores": "A score is the dot product of a query and a key of this head.",
    "W_Q": "The head’s own columns of {w_q} make each token’s query: what it asks for.",
    "W_K": "The head’s own columns of {w_k} make each token’s key: what queries are compared with.",
    "W_V": "The head’s own columns of {w_v} make each token’s value: what it passes on.",
    "mixing": "Each token receives the average of the values, weighted by its row of the heatmap.",
    "W_O": "The head’s own rows of {w_o} turn its result into its part of the output.",
}
ATTENTION_ALONE = (
    "The file holds only the attention weights of these heads. It holds no scores and no"
    " projections from which to compute them."
)


CLOSER_FIELDS = ("probabilities", "scores")
ONE_HEAD_CHOICES = (LINES, STEP, *closer_choices(ALL_HEADS, CLOSER_FIELDS))


def beside_one_head(values: b.Values, shown: HeadsShown) -> Sequence[b.Field | b.Button]:
    """The choice of the head, and the way back."""
    back = b.Button("All heads", {OPEN.key: False, CELL: ""})
    return (*fields(values, place_choices(shown)[:2]), back)


def view_of_layer(view: StoryView, shown: HeadsShown, layer: int, focus: Focus) -> StoryView:
    """What the pictures of the story need, for one layer of these heads."""
    trace = shown.traces[layer]
    scenario = replace(
        view.scenario,
        weights=STORY_WEIGHTS.get(shown.model, "your own"),
        layer=layer,
        d_model=trace.sizes["D"],
        n_heads=trace.sizes["H"],
        edits="",
        own="",
    )
    if shown.model != OWN:
        scenario = replace(scenario, mask="none")
    return replace(view, scenario=scenario, focus=focus, layer=trace, sequence=0, chosen=None)


def one_head_facts(values: b.Values, shown: HeadsShown) -> HeadFacts:
    """What is said of the cell of the head that is chosen."""
    layer, focus = focus_of(values, shown)
    which = LINES_DRAWN[values[LINES.key]]
    return head_facts(shown.maps, layer, focus.head, (focus.query, focus.key), which)


def one_head_blocks(
    view: StoryView, values: b.Values, shown: HeadsShown, facts: HeadFacts
) -> Sequence[b.Block]:
    """The head that is chosen. Raises: AttentionError."""
    layer, focus = focus_of(values, shown)
    lines, seen = LINES_DRAWN[values[LINES.key]], shown.layer(layer)
    query, key = focus.query, focus.key
    figure = attention_lines(
        seen,  # type: ignore[arg-type]  # it reads what a layer alone has: shares, sizes, labels
        (focus.head,),
        lines,
        query,
        key,
    )
    asking, read = quote_token(seen.tokens, query), quote_token(seen.memory_tokens, key)
    above, below = _alone(view, shown, layer, focus), list[b.Block]()
    if shown.traces:
        one = view_of_layer(view, shown, layer, focus)
        above = _with_scores(one, shown, layer)
        below = [*_origin(one, values[STEP.key]), *_closer(one, values)]
    return [
        b.Text(
            f"Each row shows what one query of this head reads. :blue[{asking}] gives"
            f" **{facts.share}** of its attention to :red[{read}]{_whole_word(facts)}."
            " Point at a cell for its arithmetic; click it to keep it."
        ),
        *above,
        *_sink(shown, facts),
        b.Heading("As lines"),
        b.row(values, LINES),
        b.Chart(figure, "one head lines"),
        b.Text(
            f"A wider line is a larger share. Weaker lines left out: {facts.left_out}.", small=True
        ),
        *below,
        *_to_the_story(shown, layer, focus),
    ]


def _whole_word(facts: HeadFacts) -> str:
    """The share of the whole word of a piece, as the sum of the shares of its pieces."""
    if not facts.pieces:
        return ""
    *parts, whole = facts.pieces
    return f"; the whole word gets **{whole} %** = {' + '.join(parts)}"


def _sink(shown: HeadsShown, facts: HeadFacts) -> list[b.Block]:
    """That the first token takes most of a head, if it does."""
    if facts.sink is None:
        return []
    return [
        b.Text(
            f"On average, later tokens give {quote_token(shown.maps.memory_tokens, 0)}"
            f" **{facts.sink}**, more than any other: it is an"
            " [attention sink](glossary?glossary_words=attention+sink) of this head."
        )
    ]


def _alone(view: StoryView, shown: HeadsShown, layer: int, focus: Focus) -> list[b.Block]:
    """The attention of a head of which nothing else is known."""
    labels = (shown.maps.tokens, shown.maps.memory_tokens)
    shares = shown.maps.layers[layer][focus.head]
    board = attention_alone(shares, labels, focus.query, focus.key, view.pieces)
    clicks = cell_clicks(board, focus)
    return [b.Board(board, "one head alone", fits=True, sets=clicks), b.Note(ATTENTION_ALONE)]


def _with_scores(one: StoryView, shown: HeadsShown, layer: int) -> list[b.Block]:
    """The head beside its scores, all heads of its layer, and the arithmetic of the cell."""
    focus, trace = one.focus, one.trace
    board = one_head(one.stage, *focus.cell("query", "key"))
    clicks = cell_clicks(board, focus)
    derivation = derive(trace, "probabilities", (0, *focus.cell("query", "key")))
    query, key = (
        quote_token(trace.labels(axis), place)
        for axis, place in (("T", focus.query), ("S", focus.key))
    )
    note = columns_note(trace, one.notation)
    return [
        *([b.Text(note, small=True)] if note else []),
        b.Board(board, "one head", fits=True, sets=clicks),
        b.Board(layer_heads(board, head_captions(shown.maps)[layer]), "layer", sets=clicks),
        b.Text(
            f"**Head {focus.head}:** :blue[query of {query}] and :red[key of {key}]:"
            f" {escape_markdown(format_derivation(derivation))}"
        ),
    ]


def _origin(one: StoryView, step: str) -> list[b.Block]:
    """One step of the head as the story shows it, and what the app can open below it."""
    focus = one.focus
    feature = focus.within(one.trace, STEP_FIELDS[step]).feature
    board = step_board(one.stage, step, *focus.cell("query", "key"), feature)
    names = {name: escape_markdown(one.written(name)) for name in ("w_q", "w_k", "w_v", "w_o")}
    return [
        b.Heading("Where its numbers come from"),
        b.row({STEP.key: step}, STEP),
        b.Text(STEP_SENTENCES[step].format(**names)),
        b.Board(board, f"one head {step}", fits=True, sets=cell_clicks(board, focus)),
    ]


def _closer(one: StoryView, values: b.Values) -> list[b.Block]:
    cell = one.focus.cell("query", "key")
    sums = derive(one.trace, "probabilities", (0, *cell))
    board = one_head(one.stage, *cell)
    closer = Closer(ALL_HEADS, "probabilities", sums, CLOSER_FIELDS, board)
    return closer_blocks(one, values, closer)


def _to_the_story(shown: HeadsShown, layer: int, focus: Focus) -> list[b.Block]:
    weights = STORY_WEIGHTS.get(shown.model)
    if not weights:
        return []
    cell = {"head": focus.head, "query": focus.query, "key": focus.key}
    places = {"weights": weights, "layer": layer, "scaling": "on", "mask": "none"}
    link = b.Row((b.Link("Walk through this layer step by step", "scores", places | cell),))
    note = b.Text("The story shows the model with nothing switched off.", small=True)
    return [link, note] if shown.off else [link]
