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
from attention_lab.masks.facts import UsesFacts, uses_facts
from attention_lab.scenario import Scenario
from attention_lab.sentences import alone

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown, quote_token
from ..page_choices import Number, Places, Select, Words, by_name
from ..story.notes import answer_line
from ..story.story_view import StoryView
from . import encoder_decoder as boards
from .sentences import cut_note, within

DEFAULT_TARGET = "Das Tier war zu müde"
USES = {use.key: use for use in ATTENTION_USES}
TARGET = Words(
    "ed_target",
    "Target sentence",
    DEFAULT_TARGET,
    MAX_TEXT_LENGTH,
    help="The source is the sentence of the sidebar; this could be its translation.",
)
PADDING = Number(
    "ed_pad",
    "[pad] after both sentences",
    2,
    low=0,
    high=4,
    look="scale",
    help="If the sidebar sets a sequence length, the source keeps it.",
)
USE = Select("ed_use", "Use", "cross", by_name(USES), "buttons")
CELL = Places("ed_cell", "Cell", (0, 0), size=100, most=2)


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


def _cards(facts: UsesFacts) -> b.Beside:
    """For each use: the sequences of queries, keys and values, its mask, and the hidden cells."""
    cards: list[Sequence[b.Block]] = []
    for use in ATTENTION_USES:
        hidden, cells = facts.hidden[use.key]
        padding = f"padding of the {use.keys_from}"
        mask = f"**causal** and {padding}" if use.causal else padding
        text = (
            f"**{use.name.capitalize()}**\n\n:blue[Queries] from the **{use.queries_from}**,"
            f" :red[keys] and :green[values] from the **{use.keys_from}**.\n\nMask: {mask}. Hidden"
            f" cells: {hidden} of {cells}."
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


def _traces(view: StoryView, values: b.Values) -> tuple[Mapping[str, Trace], list[b.Block]]:
    """The layer in its uses, and what is said of the target. Raises: AttentionError."""
    scenario = alone(view.scenario, view.sequence)
    target, notes = _target(scenario, values[TARGET.key])
    return run_three_uses(scenario, target, values[PADDING.key]), notes


def _cell(trace: Trace, chosen: tuple[int, ...]) -> tuple[tuple[int, int], list[b.Block]]:
    """The query and the key in focus, and what is said of one that is not there."""
    query, beyond_queries = within("query", chosen[0], trace.sizes["T"])
    key, beyond_keys = within("key", chosen[-1], trace.sizes["S"])
    beyond = " ".join(filter(None, (beyond_queries, beyond_keys)))
    return (query, key), [b.caption(beyond)] if beyond else []


def _facts(view: StoryView, values: b.Values) -> UsesFacts:
    """Raises: AttentionError."""
    (traces, _), use = _traces(view, values), values[USE.key]
    return uses_facts(traces, use, view.focus.head, _cell(traces[use], values[CELL.key])[0])


def _blocks(view: StoryView, values: b.Values, facts: UsesFacts) -> Sequence[b.Block]:
    """The three uses, one of them step by step, and the shapes. Raises: AttentionError."""
    (traces, notes), use = _traces(view, values), USES[values[USE.key]]
    trace = traces[use.key]
    cell, beyond = _cell(trace, values[CELL.key])
    return [
        *answer_line(view),
        b.row(values, TARGET, PADDING, USE),
        *_unknown(alone(view.scenario, view.sequence), trace.tokens),
        *notes,
        *beyond,
        _side_by_side(view, traces, use, cell),
        _cards(facts),
        b.caption(
            "The board shows masked scores above shares. Hatched cells are hidden; the mask of the"
            " sidebar is not used here. All three have the same weights, so that only sentences and"
            " masks differ; in a real model each has its own. Try: click a cell of another use, or"
            " give the target a single word."
        ),
        b.Heading("One use, step by step"),
        b.Text(_said_of(trace, use, cell, facts)),
        _steps(view, trace, use, cell),
        b.Heading("The shapes of every step"),
        boards.shapes_table(traces),
        b.caption(
            "Shapes in NumPy. T is the number of query tokens, S the number of key tokens. The"
            " layer does not need T = S; scores and probabilities are then not square. What must"
            " agree: the width of queries and keys, the number of keys and values, and the number"
            " of sequences."
        ),
    ]


def _said_of(trace: Trace, use: AttentionUse, cell: tuple[int, int], facts: UsesFacts) -> str:
    """What the query in focus reads, and what comes from where."""
    asks, read = quote_token(trace.tokens, cell[0]), quote_token(trace.memory_tokens, cell[1])
    says = f"In head {facts.head} the query reads {facts.share} from the key."
    if facts.share is None:
        says = "The mask hides this key from this query."
    return (
        f"The :blue[query of {asks}] comes from the **{use.queries_from}**, the :red[key] and the"
        f" :green[value of {read}] from the **{use.keys_from}**. {says} Each token of the"
        f" {use.queries_from} gets one result, a mixture of the values of the {use.keys_from}."
    )


def _steps(view: StoryView, trace: Trace, use: AttentionUse, cell: tuple[int, int]) -> b.Board:
    stage = replace(view.stage, trace=trace, before=None)
    clicks = dict.fromkeys(("scores", "probabilities"), _cells(trace) * trace.sizes["H"])
    return b.Board(boards.use_scene(stage, use, view.focus.head, cell), "use", clicks=clicks)


ENCODER_DECODER = page_of_facts(
    "encoder-decoder", lambda view: (TARGET, PADDING, USE, CELL), _facts, _blocks
)
