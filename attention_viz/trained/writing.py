"""The page *Next token: writing*: the language model goes on with the text, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attention_core.rules import Position, Rule, read
from attention_lab.trained.language_model import N_HEADS, N_LAYERS, language_model
from attention_lab.trained.language_text import LIMITS, language_ids
from attention_lab.trained.writing import Writing, goes_on, mark, written_after
from attention_lab.user_data.matrix_names import MAX_TOKENS

from .. import blocks as b
from ..labels import format_number, format_percent
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON
from ..pieces import bare
from ..sentence import one_head_part
from ..story.next_token import BAR_CELLS, share_matrices
from ..story.story_view import StoryView
from .text_notes import text_notes

WRITTEN = b.Places("wr_written", "Written pieces", (), size=10_000, most=MAX_TOKENS)
SCALE = partial(b.Number, step=0.1, look="scale")
DIVIDES = "The logits are divided by it. 0 takes the most probable piece."
TEMPERATURE = SCALE("wr_temperature", "Temperature", 1.0, low=0.0, high=2.0, help=DIVIDES)
KEEPS = "Only the fewest most probable pieces that together reach this share can follow."
TOP_P = SCALE("wr_top_p", "Top-p", 0.9, low=0.1, high=1.0, help=KEEPS)
SEED = b.Number("wr_seed", "Seed", 0, low=0, high=999, help="The same seed writes the same text.")
PLAY = b.Switch("wr_play", "Play", False, help="Writes a piece every second.")
LAYER = b.Number("wr_layer", "Layer", 4, low=0, high=N_LAYERS - 1)
HEAD = b.Number("wr_head", "Head", 4, low=0, high=N_HEADS - 1)
CHOICES = (WRITTEN, TEMPERATURE, TOP_P, SEED, PLAY, LAYER, HEAD)
SHARE, LEFT, FACTOR, SCALED = "share", "share within top-p", "one over what is left", "scaled"
SECONDS = 1.0  # between two pieces
MANY = 10  # pieces


def writing_of(view: StoryView, values: b.Values) -> Writing:
    """The text of the page with its settings. Raises: AttentionError."""
    prompt = language_ids(view.scenario.text, view.scenario.n_tokens)
    settings = (values[one.key] for one in (TEMPERATURE, TOP_P, SEED))
    return Writing(prompt, written_after(prompt, values[WRITTEN.key]), *settings)


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """What may follow, and what was written. Raises: AttentionError."""
    writing = writing_of(view, values)
    board = writing_board(writing, values[LAYER.key], values[HEAD.key])
    picks = [{WRITTEN.key: writing.after(one)} for one in writing.shown]
    clicks = {name: picks for name in (SHARE, LEFT) if writing.room > 0}
    plays = values[PLAY.key] and writing.next_id is not None
    settings = [b.Field(one, values[one.key]) for one in (PLAY, TEMPERATURE, TOP_P)]
    places = tuple(b.Field(one, values[one.key]) for one in (SEED, LAYER, HEAD))
    return [
        b.Text(f"{_what_follows(writing)} Click a bar to go on with its piece instead."),
        b.Row((*_buttons(writing), *settings)),
        b.Board(board, "writing", fits=True, clicks=clicks),
        *([b.Later(SECONDS, picks_next(writing))] if plays else []),
        b.Text(_whole_text(writing)),
        b.Row(places),
        b.Folded("How a piece is drawn", [b.Text(_how_it_is_drawn(writing))]),
        *text_notes(view),
        b.Text(LIMITS, small=True),
    ]


def _whole_text(writing: Writing) -> str:
    """The prompt, and what was written after it in green."""
    prompt, written = (
        escape_markdown(language_model().decode(ids).replace("\n", " ⏎ "))
        for ids in (writing.prompt, writing.written)
    )
    return f"{prompt}:green[{written}]" if written else prompt


def picks_next(writing: Writing) -> dict[str, tuple[int, ...]]:
    """What writing the next piece sets; nothing if there is none."""
    one = writing.next_id
    return {} if one is None else {WRITTEN.key: writing.after(one)}


def _buttons(writing: Writing) -> list[b.Button]:
    found = []
    if writing.next_id is not None:
        many = goes_on(writing, MANY)
        found = [
            b.Button("Write a piece", picks_next(writing)),
            b.Button(f"Write {len(many)}", {WRITTEN.key: writing.after(*many)}),
        ]
    if writing.written:
        fewer = mark(writing.prompt, writing.written[:-1])
        found += [
            b.Button("Undo", {WRITTEN.key: fewer}, "Takes the last piece back."),
            b.Button("Start again", {WRITTEN.key: ()}),
        ]
    return found


def _what_follows(writing: Writing) -> str:
    """The answer in one sentence."""
    last, first, second = (
        f"“{escape_markdown(bare(piece))}”"
        for piece in language_model().pieces((writing.ids[-1], *writing.shown[:2]))
    )
    shares_X = writing.whole_shares[list(writing.shown)]
    ends = ""
    if writing.room < 1:
        ends = f" The page is full: it shows {MAX_TOKENS} pieces."
    elif writing.next_id is None:
        ends = " The model ends its story here."
    follows = f"{first} with {format_percent(shares_X[0])}"
    if shares_X[1]:
        follows += f", {second} with {format_percent(shares_X[1])}"
    return f"After {last} comes {follows}.{ends}"


def _how_it_is_drawn(writing: Writing) -> str:
    """The arithmetic of temperature, top-p and the seed with the numbers of now."""
    shares_X, heat = writing.shares, writing.temperature
    n_left, n_all = int(np.count_nonzero(shares_X)), len(shares_X)
    scaled = f"Each logit is divided by {heat:g}, then the softmax follows."
    if heat == 0:
        scaled = "At 0 the most probable piece gets everything."
    drawn = ""
    if (one := writing.next_id) is not None:
        piece = escape_markdown(bare(language_model().pieces([one])[0]))
        drawn = (
            f"\n- **Seed.** For this place it draws the number {format_number(writing.drawn)}."
            " The shares are added up in the order of the vocabulary until their sum is above it:"
            f" that is at “{piece}”."
        )
    return (
        f"- **Temperature.** {scaled} Above 1 the shares come closer to one another, below 1 the"
        " large ones grow.\n- **Top-p.** The most probable pieces are taken until their shares"
        f" reach {format_percent(writing.top_p)}: {n_left} of {n_all}. These are divided by their"
        f" sum, so that they reach 100 % again.{drawn}"
    )


def writing_board(writing: Writing, layer: int, head: int) -> JSON:
    """The text with the arcs of its last piece, and a row for each of the pieces that may follow:
    its logit, divided by the temperature, its share, and what top-p makes of it.
    """
    shown, run = list(writing.shown), writing.run
    pieces = Side("piece", tuple(language_model().pieces(shown)))
    scaled_X, heat = writing.scaled_logits, writing.temperature
    column = partial(
        Matrix,
        rows=pieces,
        columns=Side("logit", ("logit",)),
        kind="logit",
        says="The model gives this piece the logit",
    )
    logits = writing.logits[shown][:, np.newaxis]
    matrices = [column("logit", logits, place=(0, 0), title="logit")]
    if heat not in (0, 1):
        rule = Rule("product", (read("logit", 0, 1), read("one over T", Position(), Position())))
        matrices += [
            Matrix("one over T", np.array([[1 / heat]]), Side("row"), Side("T"), None, "1/T"),
            column(SCALED, scaled_X[shown, np.newaxis], place=(1, 0), title="logit/T", rule=rule),
        ]
    place = len([one for one in matrices if one.place])
    *all_logits, share = share_matrices(
        SHARE, scaled_X, writing.whole_shares, pieces, shown, place, "share"
    )
    if heat == 0:
        share = replace(share, rule=None, says="The most probable piece gets everything, here")
    matrices += [*all_logits, share]
    if writing.top_p < 1:
        matrices += _left_by_top_p(writing, pieces, place + 1)
    what = "What may follow: a row for each piece, with its logit and its share."
    board = matrix_board(matrices, (matrices[-1].name, 0, 0), what)
    for panel in board["panels"]:
        if panel["array"] in (SHARE, LEFT):
            panel |= {"role": "total", "bars": BAR_CELLS}
    said = one_head_part(run.traces[layer], head, len(writing.ids) - 1, f"layer {layer}, ")
    if said:
        said["written"] = len(writing.prompt)
    return board | {"sentence": said}


def _left_by_top_p(writing: Writing, pieces: Side, place: int) -> list[Matrix]:
    """The shares within top-p: those of the pieces that are left, divided by their sum."""
    left, total = writing.shares[list(writing.shown)][:, np.newaxis], writing.left
    sides, title = (pieces, Side("share", ("share",))), f"within top-p {writing.top_p:g}"
    says = f"1 over {format_number(total)}, the sum of the shares that are left; 0 for the others:"
    rule = Rule("product", (read(SHARE, 0, 1), read(FACTOR, 0, 1)))
    return [
        Matrix(FACTOR, np.where(left > 0, 1 / total, 0.0), *sides, None, FACTOR, says=says),
        Matrix(LEFT, left, *sides, (place, 0), title, kind="probability", rule=rule),
    ]


WRITING = b.BlockPage("writing", lambda _: CHOICES, _blocks)
