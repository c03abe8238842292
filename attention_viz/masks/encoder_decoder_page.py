"""The page *Encoder, decoder, cross-attention*: the three uses of attention for two sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from attention_core import TextError, Trace
from attention_lab.by_hand import unknown_words
from attention_lab.choices import MAX_TEXT_LENGTH, resolve
from attention_lab.masks.encoder_decoder import (
    ATTENTION_USES,
    AttentionUse,
    other_sentence,
    run_three_uses,
)
from attention_lab.scenario import Scenario
from attention_lab.sentences import alone

from .. import blocks as b
from ..labels import format_percent
from ..markdown import escape_markdown, quote_token
from ..story.notes import answer_line
from ..story.story_view import StoryView
from . import encoder_decoder as boards
from .sentences import cut_note, within

DEFAULT_TARGET = "Das Tier war zu müde"
USES = {use.key: use for use in ATTENTION_USES}
TARGET = b.Words(
    "ed_target",
    "Target sentence",
    DEFAULT_TARGET,
    MAX_TEXT_LENGTH,
    help="The source is the sentence of the sidebar; this could be its translation.",
)
PADDING = b.Number(
    "ed_pad",
    "[pad] after both sentences",
    2,
    low=0,
    high=4,
    look="scale",
    help="If the sidebar sets a sequence length, the source keeps it.",
)
USE = b.Select("ed_use", "Use", "cross", b.by_name(USES), "buttons")
CELL = b.Places("ed_cell", "Cell", (0, 0), size=100, most=2)


def _target(scenario: Scenario, text: str) -> tuple[str, list[b.Block]]:
    """The target sentence, or the usual one with the reason in the place of one without words."""
    try:
        read = other_sentence(scenario, text)
    except TextError as error:
        says = f"{TARGET.label}: {error}. Until then “{DEFAULT_TARGET}” is used."
        return DEFAULT_TARGET, [b.Note(escape_markdown(says), "wrong")]
    note = cut_note("target sentence", read.n_real, read.n_left_out, scenario)
    return text, [b.caption(note)] if note else []


def _unknown(scenario: Scenario, tokens: Sequence[str] | None) -> list[b.Block]:
    """Why a head made by hand reads nothing of a target in words that it does not know."""
    unknown = unknown_words(tokens or ()) if resolve(scenario).handmade else ()
    if not unknown:
        return []
    named = escape_markdown(", ".join(f"“{one}”" for one in unknown))
    return [b.caption(f"The weights by hand do not know these words, which ask nothing: {named}.")]


def _cards(traces: Mapping[str, Trace]) -> b.Beside:
    """For each use: the sequences of queries, keys and values, its mask, and the hidden cells."""
    cards: list[Sequence[b.Block]] = []
    for use in ATTENTION_USES:
        trace = traces[use.key]
        n_hidden = int(trace.hidden_keys[0, 0].sum())
        n_cells = trace.sizes["T"] * trace.sizes["S"]
        padding = f"padding of the {use.keys_from}"
        mask = f"**causal** and {padding}" if use.causal else padding
        text = (
            f"**{use.name.capitalize()}**\n\n:blue[Queries] from the **{use.queries_from}**,"
            f" :red[keys] and :green[values] from the **{use.keys_from}**.\n\nMask: {mask}. Hidden"
            f" cells: {n_hidden:,} of {n_cells:,}."
        )
        cards.append((b.Text(text), b.caption(use.description)))
    return b.Beside(tuple(cards), (1, 1, 1))


def _cells(trace: Trace) -> list[dict[str, tuple[int, ...]]]:
    """What a click on each cell of a use chooses."""
    return [{CELL.key: cell} for cell in np.ndindex(trace.scores.shape[2:])]


def _side_by_side(
    view: StoryView, traces: Mapping[str, Trace], use: AttentionUse, cell: tuple[int, int]
) -> b.Board:
    """The three uses; a click chooses the use and the cell."""
    clicks: dict[str, Sequence[Mapping[str, object]]] = {}
    for key, trace in traces.items():
        cells = [{USE.key: key} | one for one in _cells(trace)]
        clicks |= {f"scores {key}": cells, f"shares {key}": cells}
    scene = boards.uses_board(traces, view.focus.head, use.key, cell, view.notation)
    return b.Board(scene, "uses", fits=True, clicks=clicks)


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The three uses, one of them step by step, and the shapes. Raises: AttentionError."""
    scenario = alone(view.scenario, view.sequence)
    use, head = USES[values[USE.key]], view.focus.head
    target, notes = _target(scenario, values[TARGET.key])
    traces = run_three_uses(scenario, target, values[PADDING.key])
    trace = traces[use.key]
    query, beyond_queries = within("query", values[CELL.key][0], trace.sizes["T"])
    key, beyond_keys = within("key", values[CELL.key][-1], trace.sizes["S"])
    beyond = " ".join(filter(None, (beyond_queries, beyond_keys)))
    asks, read = quote_token(trace.tokens, query), quote_token(trace.memory_tokens, key)
    share = format_percent(float(trace.probabilities[0, head, query, key]))
    stage = replace(view.stage, trace=trace, before=None)
    clicks = dict.fromkeys(("scores", "probabilities"), _cells(trace) * trace.sizes["H"])
    steps = boards.use_scene(stage, use, head, (query, key))
    return [
        *answer_line(view),
        b.row(values, TARGET, PADDING, USE),
        *_unknown(scenario, trace.tokens),
        *notes,
        *([b.caption(beyond)] if beyond else []),
        _side_by_side(view, traces, use, (query, key)),
        _cards(traces),
        b.caption(
            "The board shows masked scores above shares. Hatched cells are hidden; the mask of the"
            " sidebar is not used here. All three have the same weights, so that only sentences and"
            " masks differ; in a real model each has its own. Try: click a cell of another use, or"
            " give the target a single word."
        ),
        b.Heading("One use, step by step"),
        b.Text(
            f"The :blue[query of {asks}] comes from the **{use.queries_from}**, the :red[key] and"
            f" the :green[value of {read}] from the **{use.keys_from}**. In head {head} the query"
            f" reads {share} from the key. Each token of the {use.queries_from} gets one result, a"
            f" mixture of the values of the {use.keys_from}."
        ),
        b.Board(steps, "use", clicks=clicks),
        b.Heading("The shapes of every step"),
        boards.shapes_table(traces),
        b.caption(
            "Shapes in NumPy. T is the number of query tokens, S the number of key tokens. The"
            " layer does not need T = S; scores and probabilities are then not square. What must"
            " agree: the width of queries and keys, the number of keys and values, and the number"
            " of sequences."
        ),
    ]


ENCODER_DECODER = b.BlockPage("encoder-decoder", lambda view: (TARGET, PADDING, USE, CELL), _blocks)
