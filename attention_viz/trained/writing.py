"""The page *Next token: writing*: the language model goes on with the text, by words or pieces."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from attention_core.errors import SettingsError
from attention_core.rules import Rule, read
from attention_lab.trained.allowed_models import STORIES
from attention_lab.trained.facts import WritingFacts, writing_facts
from attention_lab.trained.language_text import language_ids, limits_of, most_tokens
from attention_lab.trained.model_config import MAX_PIECES
from attention_lab.trained.writing import (
    MOST_SEEDS,
    Continuations,
    Writing,
    carried_over,
    continuations,
    drawn_again,
    goes_on,
    goes_on_by_words,
    without_last_word,
    written_after,
)
from attention_lab.url_values import parse_number
from attention_lab.user_data.matrix_names import MAX_TOKENS
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Number, Places, Switch, Words
from ..payload import JSON
from ..pieces import label_of
from ..story.next_token import BAR_CELLS, SHARE_SIDE, share_matrices
from ..story.story_view import StoryView
from .head_pages import OFF, all_on, off_parts
from .text_notes import text_notes, which_model, words_or_pieces

WRITTEN = Places(
    "wr_written",
    "Written pieces",
    (),
    size=MAX_PIECES,
    most=MAX_TOKENS,
    resets=("wr_more",),
    shared=True,
)
SCALE = partial(Number, step=0.1, look="scale")
DIVIDES = "The logits are divided by it. 0 takes the most probable piece."
TEMPERATURE = SCALE("wr_temperature", "Temperature", 1.0, low=0.0, high=2.0, help=DIVIDES)
KEEPS = "Only the fewest most probable pieces that together reach this share can follow."
TOP_P = SCALE("wr_top_p", "Top-p", 0.9, low=0.1, high=1.0, help=KEEPS)
REPEATS = "It repeats a text only with the same text before and the same settings."
SEED = Number("wr_seed", "Seed", 0, low=0, high=MOST_SEEDS - 1, help=REPEATS)
WORDS, PIECES = "words", "pieces"
PLAY = Switch("wr_play", "Play", False, help="It writes on, once every second.")


def read_more(text: str) -> str:
    """How many words or pieces the model writes, such as “3 words”. Raises: SettingsError."""
    number, _, unit = text.partition(" ")
    if text and unit not in (WORDS, PIECES):
        raise SettingsError("It is a number of words or pieces, such as “3 words”")
    return f"{parse_number(number, 1, MAX_TOKENS, True)} {unit}" if text else ""


# What a model from a folder writes after them, once the page shows it.
MORE = Words("wr_more", "Written on", "", most=20, reads=read_more)
CHOICES = (WRITTEN, MORE, TEMPERATURE, TOP_P, SEED, PLAY, OFF)
SHARE, DRAWN = "share", "drawn"
TEMPERED, FACTOR = "share with this temperature", "one over what is left"
OF_MODEL, CAN_BE_DRAWN = "the model’s share", "can be drawn"
WITHIN_TOP_P = Rule("product", (read(TEMPERED, 0, 1), read(FACTOR, 0, 1)))
SECONDS = 1.0  # between two words
MANY = 20  # words or pieces


def writing_of(view: StoryView, values: b.Values) -> Writing:
    """The text of the page with its settings. Raises: AttentionError."""
    scenario, off = view.scenario, off_parts(view, values[OFF.key])
    prompt = language_ids(scenario.text, scenario.n_tokens, scenario.model)
    written = written_after(prompt, values[WRITTEN.key])
    heat, top_p, seed = (values[one.key] for one in (TEMPERATURE, TOP_P, SEED))
    writing = Writing(prompt, written, heat, top_p, seed, off, scenario.model)
    number, _, unit = values[MORE.key].partition(" ")
    return replace(writing, written=written + _more(writing, int(number or 0), unit == PIECES))


def _more(writing: Writing, number: int, pieces: bool) -> tuple[int, ...]:
    """What the model goes on to write: some words or pieces."""
    if not number or writing.next_id is None:
        return ()
    return goes_on(writing, number) if pieces else goes_on_by_words(writing, number)


def _facts(view: StoryView, values: b.Values) -> WritingFacts:
    writing = writing_of(view, values)
    return writing_facts(writing, continuations(writing, view.pieces))


def _blocks(view: StoryView, values: b.Values, facts: WritingFacts) -> Sequence[b.Block]:
    """What was written, and what may follow. Raises: AttentionError."""
    writing = writing_of(view, values)
    likely = continuations(writing, view.pieces)
    board = writing_board(writing, likely, view.pieces)
    clicks = {}
    if writing.room > 0:
        picks: list[dict[str, object]] = [_text(writing, one) for one in likely.ids]
        clicks = dict.fromkeys((SHARE, DRAWN), picks)
    plays = values[PLAY.key] and writing.next_id is not None
    settings = [b.Field(one, values[one.key]) for one in (TEMPERATURE, TOP_P, SEED)]
    return [
        b.Text(_whole_text(writing)),
        *text_notes(view),
        b.Row(
            (
                *which_model(view),
                *_buttons(view, writing),
                b.Field(PLAY, values[PLAY.key]),
                *all_on(writing.off),
            )
        ),
        b.Text(_what_follows(facts, most_tokens(writing.model))),
        b.Beside(
            (
                [b.Board(board, "writing", fits=True, clicks=clicks)],
                [b.Row((one,)) for one in settings],
            ),
            (4, 1),
        ),
        *([b.Later(SECONDS, _going_on(writing, 1, view.pieces))] if plays else []),
        b.Folded("How a piece is drawn", [b.Text(_how_it_is_drawn(writing))]),
        b.Text(limits_of(writing.model), small=True),
    ]


def _whole_text(writing: Writing) -> str:
    """The prompt, and what was written after it in another shade."""
    prompt, written = (
        escape_markdown(writing.writer.decode(ids).replace("\n", " ⏎ "))
        for ids in (writing.prompt, writing.written)
    )
    return f"{prompt}:green[{written}]" if written else prompt


def _going_on(writing: Writing, number: int, pieces: bool) -> dict[str, object]:
    """What sets the text of now and what the model writes after it. A model from a folder takes
    long, so it writes when the page shows it.
    """
    if writing.model == STORIES:
        return _text(writing, _more(writing, number, pieces))
    return _text(writing) | {MORE.key: f"{number} {PIECES if pieces else WORDS}"}


def _text(writing: Writing, ids: Sequence[int] = ()) -> dict[str, object]:
    """What sets the text of now with some pieces after it."""
    return {WRITTEN.key: writing.after(*ids)}


def _buttons(view: StoryView, writing: Writing) -> list[b.Button]:
    buttons, unit = [], "piece" if view.pieces else "word"
    if writing.next_id is not None:
        about = f"As many {unit}s as the page has room for, at most {MANY}."
        buttons = [
            b.Button(f"Write a {unit}", _going_on(writing, 1, view.pieces), name="write one"),
            b.Button(f"Write {MANY}", _going_on(writing, MANY, view.pieces), about),
        ]
    elif writing.room < 1:
        about = "A new page begins with the last sentences of this one."
        begun = {"text": carried_over(writing), WRITTEN.key: ()}
        buttons = [b.Button("Go on on a new page", begun, about)]
    if writing.written:
        again, n_words = drawn_again(writing), max(1, len(writing.words))
        sets = {SEED.key: again.seed} | _going_on(again, n_words, pieces=False)
        fewer = writing.written[:-1] if view.pieces else without_last_word(writing)
        undone = _text(replace(writing, written=fewer))
        buttons += [
            b.Button("Draw again", sets, f"The same number of words, with seed {again.seed}."),
            b.Button("Undo", undone, f"Takes the last {unit} back."),
            b.Button("Start again", _text(replace(writing, written=()))),
        ]
    return [*buttons, *words_or_pieces(view, writing.writer.pieces(writing.ids))]


def _what_follows(facts: WritingFacts, most: int) -> str:
    """The answer in one sentence: what can be drawn. most: how many pieces a page holds."""
    if facts.state == "full":
        return (
            f"The page is full: it holds {most} pieces. *Go on on a new page* takes its last"
            " sentences along."
        )
    if facts.state == "ended":
        return (
            "With this seed the model ends its story here. *Draw again* takes another seed; a click"
            " on a bar goes on."
        )
    named = [f"“{escape_markdown(label_of(name))}”" for name, _ in facts.named]
    shares = [share for _, share in facts.named]
    if facts.state == "certain":
        says = f"Only {named[0]} can be drawn next, with {shares[0]}."
        return f"{says} A click on a bar goes on with it."
    drawn = ", ".join(f"{name} with **{one}**" for name, one in zip(named, shares, strict=True))
    says = f"Next can be drawn {drawn}; all that is not shown together with {facts.others}."
    if facts.state == "none":
        says = "None of these can be drawn next."
    return f"{says} A click on a bar goes on with it."


def _how_it_is_drawn(writing: Writing) -> str:
    """The arithmetic of temperature, top-p and the seed with the numbers of now."""
    shares_X, heat = writing.shares, writing.temperature
    n_left, n_all = int(np.count_nonzero(shares_X)), len(shares_X)
    scaled = f"Each logit is divided by {heat:g}, then the softmax follows."
    if heat == 0:
        scaled = "At 0 the most probable piece gets everything."
    drawn = ""
    if (one := writing.next_id) is not None:
        piece = escape_markdown(label_of(writing.writer.pieces([one])[0]))
        drawn = (
            f"\n- **Seed.** For this place it draws the number {format_number(writing.drawn)}."
            " The shares are added up in the order of the vocabulary until their sum is above it:"
            f" that is at “{piece}”. {REPEATS}"
        )
    return (
        "The model draws pieces. The probability of a word is the product of those of its pieces"
        " and of the probability that the next piece ends it, summed over its spellings.\n"
        f"\n- **Temperature.** {scaled} Above 1 the ratios of the shares come closer to 1, below 1"
        " they grow.\n- **Top-p.** The most probable pieces are taken until their shares"
        f" reach {format_percent(writing.top_p)}: {n_left} of {n_all}. These are divided by their"
        f" sum, so that they reach 100 % again.{drawn}"
    )


def writing_board(writing: Writing, likely: Continuations, pieces: bool) -> JSON:
    """A row for each word or piece that may follow: its share as the model says it, and the share
    with which it can be drawn. What cannot be drawn is empty.
    """
    rows = Side("piece" if pieces else "word", tuple(map(label_of, likely.names)))
    drawn = np.array([one or np.nan for one in likely.drawn[: len(likely.names)]])[:, np.newaxis]
    sides, share = (rows, SHARE_SIDE), partial(Matrix, kind="probability")
    absent = "it cannot be drawn"
    if pieces:
        says, rule = (
            "At temperature 0 it is drawn with",
            WITHIN_TOP_P if writing.temperature else None,
        )
        drawing = share(DRAWN, drawn, *sides, (1, 0), CAN_BE_DRAWN, rule=rule, says=says)
        matrices = [*_of_pieces(writing, rows, likely), replace(drawing, absent=absent)]
    else:
        says = "Piece by piece it is drawn with"
        shares = np.array(likely.shares[: len(likely.names)])[:, np.newaxis]
        matrices = [
            share(SHARE, shares, *sides, (0, 0), OF_MODEL, says="The model says it next with"),
            share(DRAWN, drawn, *sides, (1, 0), CAN_BE_DRAWN, absent=absent, says=says),
        ]
    what = f"What may follow: a row for each {rows.word}, with its share and how it can be drawn."
    board = matrix_board(matrices, (DRAWN, 0, 0), what)
    for panel in board["panels"]:
        panel |= {"role": "total", "bars": BAR_CELLS, "badge": "", "bare": "rows"}
    return board


def _of_pieces(writing: Writing, pieces: Side, likely: Continuations) -> list[Matrix]:
    """The shares of pieces as the model says them, with all logits behind them; and what is not
    drawn: the shares with the temperature, and what top-p multiplies them by.
    """
    shown = [one for (one,) in likely.ids]
    drawn_X, total = writing.shares[shown], writing.left
    says = f"1 over {format_number(total)}, the sum of the shares that are left; 0 for the others:"
    factors = np.where(drawn_X > 0, 1 / total, 0.0)[:, np.newaxis]
    *logits, tempered = share_matrices(
        TEMPERED,
        writing.scaled_logits,
        writing.whole_shares,
        pieces,
        shown,
        None,
        TEMPERED,
        "all logits / T",
    )
    if writing.temperature == 0:
        tempered = replace(tempered, rule=None)
    return [
        *share_matrices(SHARE, writing.logits, writing.model_shares, pieces, shown, 0, OF_MODEL),
        *logits,
        tempered,
        Matrix(FACTOR, factors, pieces, SHARE_SIDE, None, FACTOR, says=says),
    ]


WRITING = page_of_facts("writing", lambda _: CHOICES, _facts, _blocks)
