"""What three heads read from the word in focus, as bars on the words of the sentence, with a button
that opens each.
"""

from collections.abc import Sequence

import numpy as np

from attention_core.errors import TextError
from attention_lab.same_word import (
    ENCODER,
    HAND,
    LANGUAGE,
    Reader,
    hand_reading,
    places_of,
    readers_of,
    words_of,
)
from attention_lab.words.numbers import format_percent

from .. import blocks as b
from ..curves import WITH_LEGEND, chart_axis
from ..labels import shorten
from ..markdown import quote_token
from ..parts import Part, layout, named_axis
from ..theme import Figure
from .story_view import StoryView

NAMES = {HAND: "made by hand", LANGUAGE: "language model", ENCODER: "MiniLM"}
COLOURS = {HAND: "@head 0", LANGUAGE: "@head 1", ENCODER: "@head 2"}
TITLE = "The same word in three heads"
MOST_WORDS = 16  # that are drawn; of longer sentences those with the largest shares


def same_word_blocks(view: StoryView) -> list[b.Block]:
    """The comparison; nothing where the layer is not made from the sentence alone. Opened where the
    head in focus cannot tell some words apart.
    """
    scenario = view.scenario
    if view.layer is not None or scenario.own or scenario.edits or view.lesson:
        return []
    text = view.sentences[view.sequence]
    try:
        words = words_of(text)
        word = places_of(view.trace.labels("T"), words)[view.focus.query]
    except TextError:
        return []
    if word is None:
        return []
    return [b.Folded(TITLE, lambda: _comparison(text, words, word), _cannot_tell(view))]


def _cannot_tell(view: StoryView) -> bool:
    """Whether the head in focus reads some words alike that answer it alike."""
    read = hand_reading(view.trace, view.scenario, view.focus.head, view.focus.query)
    return read is not None and len(read.keys) > 1 and bool(read.answers)


def _comparison(text: str, words: Sequence[str], word: int) -> list[b.Block]:
    """A sentence for each head, the bars, and the buttons."""
    readers = readers_of(text, word)
    shown = drawn_words(readers, len(words))
    says = [f"- **{_title(one)}**: {_reads(one, words)}" for one in readers]
    left_out = len(words) - len(shown)
    also = f" Words shown: {len(shown)} of {len(words)}, those with the largest shares."
    return [
        b.Text(f"What {quote_token(words, word)} reads:\n\n" + "\n".join(says)),
        b.Chart(reader_bars(readers, words, shown), "same word", wide=len(shown) > 8),
        b.caption(
            "Each bar is the share that a word gets; shares of pieces are added up. Of the language"
            " model this is the head of its last layer in which the word gives most to another"
            f" word; of MiniLM a head that is known for pronouns.{also * (left_out > 0)}"
        ),
        b.Row(tuple(_button(one) for one in readers if one.shares is not None)),
    ]


def drawn_words(readers: Sequence[Reader], n_words: int) -> list[int]:
    """The words that are drawn, in the order of the sentence: those with the largest shares."""
    shares_RW = [one.shares for one in readers if one.shares is not None]
    most_W = np.max([np.zeros(n_words), *shares_RW], axis=0)
    return sorted(np.argsort(-most_W, kind="stable")[:MOST_WORDS].tolist())


def _title(reader: Reader) -> str:
    name = NAMES[reader.kind]
    if reader.kind == HAND:
        return f"{name}, head {reader.head}"
    return f"{name}, layer {reader.scenario.layer}, head {reader.head}"


def _reads(reader: Reader, words: Sequence[str]) -> str:
    """What a head reads most, in words, or why it reads nothing."""
    most = reader.most
    if reader.shares is None or not most:
        return f"nothing; {reader.why or 'all goes to signs of the model'}."
    share = format_percent(float(reader.shares[most[0]]))
    named = ", ".join(quote_token(words, one) for one in most[:3])
    named += f" and {len(most) - 3} more" * (len(most) > 3)
    rest = f"; {format_percent(reader.rest)} go to signs of the model" * (reader.rest >= 0.005)
    each = " each" * (len(most) > 1)
    return f"{share}{each} from {named}{rest}."


def _button(reader: Reader) -> b.Button:
    """Opens a head in every step, at the word."""
    scenario = reader.scenario
    sets = {"weights": reader.kind, "head": reader.head, "query": reader.query}
    if reader.kind == HAND:
        sets |= {"d_model": scenario.d_model, "n_heads": scenario.n_heads}
    else:
        sets |= {"layer": scenario.layer}
    return b.Button(f"Open: {NAMES[reader.kind]}", sets)


def reader_bars(readers: Sequence[Reader], words: Sequence[str], shown: Sequence[int]) -> Figure:
    """For each word that is shown a bar for each head that reads something."""
    reading = [one for one in readers if one.shares is not None]
    data: list[Part] = [
        {
            "type": "bar",
            "name": NAMES[one.kind],
            "x": list(range(len(shown))),
            "y": [float(one.shares[place]) for place in shown],
            "customdata": [words[place] for place in shown],
            "marker": {"color": COLOURS[one.kind]},
            "hovertemplate": "%{customdata}: %{y:.0%}<extra>" + NAMES[one.kind] + "</extra>",
        }
        for one in reading
        if one.shares is not None
    ]
    ticks = [shorten(words[place]) for place in shown]
    axis, room = named_axis(ticks)
    places = {"type": "linear", "tickmode": "array", "tickvals": [*range(len(shown))]}
    names = ", ".join(NAMES[one.kind] for one in reading)
    about = f"Bars: the share of each word in {len(reading)} heads ({names}). Words: {len(shown)}."
    around = WITH_LEGEND | {
        "barmode": "group",
        "margin": {"l": 48, "r": 8, "t": 30, "b": room},
        "xaxis": axis | places | {"ticktext": ticks},
        "yaxis": chart_axis("", range=[0, 1], tickformat=".0%"),
    }
    return {"data": data, "layout": layout(round(210 + room), about, **around)}
